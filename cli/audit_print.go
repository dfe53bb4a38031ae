package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/report"
)

const (
	// auditRows is how many rows a list of an audit has where nothing limits it.
	auditRows = 10
	// auditName is how many columns the name in a row has at least.
	auditName = 18
	// filledRows is how many rows more the list of what filled the requests has: its sum is the point.
	filledRows = 3
	// scarce is how many rows a list has when there is room for the most telling lists only.
	scarce = 2
	// sparkDays is how many days the line of days shows at most.
	sparkDays = 60
)

// printAudit writes the audit so that it fits the screen, as far as that is possible.
func (a *app) printAudit(w io.Writer, r audit.Audit) {
	if r.Files > 0 {
		w.Write(a.auditText(r, columns(a.Out), rows(a.Out))) //nolint:errcheck // into memory
	}
}

// auditText returns the audit for a terminal of that size; 0: it is not known. Lists get shorter until it
// fits, with a line for what comes after it.
func (a *app) auditText(r audit.Audit, width, height int) []byte {
	var b bytes.Buffer
	for n := auditRows; ; n-- {
		b.Reset()
		(&auditPage{app: a, r: r, width: width, rows: n}).print(&b)
		if height == 0 || n == 0 || bytes.Count(b.Bytes(), []byte("\n")) < height {
			return b.Bytes()
		}
	}
}

// rows returns how many rows a terminal has, 0 if w is none or does not tell.
func rows(w any) int {
	if !terminal(w) {
		return 0
	}
	_, height, err := term.GetSize(w.(interface{ Fd() uintptr }).Fd())
	if err != nil {
		return 0
	}
	return height
}

// auditPage prints an audit with so many rows for each list.
type auditPage struct {
	*app
	r     audit.Audit
	width int // columns; 0: not known
	rows  int
	most  float64  // dollars of the dearest row in the list, which comes first: bars are beside it
	names []string // the last cells of the table, which take what is left of the width
}

func (p *auditPage) print(w io.Writer) {
	p.headline(w)
	t := p.newTable(">DOLLARS", ">SHARE", "", ">TOKENS", ">CACHED", ">REQUESTS", ">", "MODEL")
	p.names, p.most = nil, 0
	for _, m := range p.r.Models[:min(len(p.r.Models), p.rows+1)] {
		p.spent(t, m.Spent, m.Name)
	}
	if p.rows > scarce && len(p.r.Projects) > 1 {
		p.section(t, "DOLLARS", "TOKENS", "CACHED", "REQUESTS", "", "DIRECTORY")
		for _, x := range p.r.Projects[:min(len(p.r.Projects), p.rows)] {
			p.spent(t, x.Spent, p.short(x.Name))
		}
	}
	if p.rows > scarce && len(p.r.Dearest) > 1 {
		p.section(t, "DOLLARS", "TOKENS", "CACHED", "REQUESTS", "", "SESSION")
		for _, s := range p.r.Dearest[:min(len(p.r.Dearest), p.rows)] {
			p.spent(t, s.Spent, p.date(s.Start)+" "+cmp.Or(s.Title, s.ID))
		}
	}
	p.filled(t)
	if len(p.r.Tools) > 0 {
		p.section(t, "≈DOLLARS", "SENT", "TIMES", "CALLS", "", "TOOL, WITH RESULTS")
	}
	for _, x := range p.r.Tools[:min(len(p.r.Tools), p.rows+1)] {
		p.carried(t, x.Carried, chars.Commas(x.Calls), "", x.Name)
	}
	if len(p.r.Read) > 0 {
		p.section(t, "≈DOLLARS", "SENT", "TIMES", "READS", "AGAIN", "FILE READ")
	}
	for _, f := range p.r.Read[:min(len(p.r.Read), p.rows+1)] {
		p.carried(t, f.Carried, chars.Commas(f.Reads), chars.Commas(f.Again), p.short(f.Path))
	}
	p.fit(t)
	t.print(w)
	p.compactions(w)
	p.replayed(w)
	p.caveats(w)
}

// headline says what it is all about, and how the days went.
func (p *auditPage) headline(w io.Writer) {
	r := p.r
	from, to := p.date(r.From), p.date(r.To)
	if from != to {
		from += " to " + to
	}
	p.say(w, "%s, %s: %s, %s tokens, %s at list prices", plural(r.Sessions, "session"), from, plural(r.Total.Requests, "request"),
		report.Magnitude(float64(r.Total.Tokens())), report.Dollars(r.Total.Dollars))
	days := r.Days[max(0, len(r.Days)-sparkDays):]
	if p.width > 0 {
		days = days[max(0, len(days)-p.width/2):]
	}
	if len(days) < 2 {
		return
	}
	dearest := slices.MaxFunc(days, func(a, b report.Day) int { return cmp.Compare(a.Dollars, b.Dollars) })
	fmt.Fprintf(w, "%s  %s with requests, %s on %s\n", p.bars().Render(spark(days, dearest.Dollars)), plural(len(r.Days), "day"),
		report.Dollars(dearest.Dollars), dearest.Day)
}

// date prints the day of a time in the reader's zone.
func (a *app) date(t time.Time) string {
	day, _, _ := strings.Cut(a.stamp(t), " ")
	return day
}

// spark draws what each day cost.
func spark(days []report.Day, most float64) string {
	const steps = "▁▂▃▄▅▆▇█"
	var b strings.Builder
	for _, d := range days {
		i := 0
		if most > 0 {
			i = int(d.Dollars / most * 7.999)
		}
		b.WriteRune([]rune(steps)[i])
	}
	return b.String()
}

// section begins a list inside the table.
func (p *auditPage) section(t *table, money, tokens, times, count, second, name string) {
	cells := []string{money, "SHARE", "", tokens, times, count, second, ""}
	for i := range cells {
		cells[i] = t.style.Render(cells[i])
	}
	t.addSafe(cells...)
	p.names, p.most = append(p.names, "\x00"+name), 0
}

// spent adds a row of what was reported.
func (p *auditPage) spent(t *table, s report.Spent, name string) {
	cached := ""
	if in := s.Usage.In(); in > 0 {
		cached = fmt.Sprintf("%.0f %%", float64(s.Usage.CacheRead)*100/float64(in))
	}
	p.row(t, s.Dollars, float64(s.Tokens()), cached, chars.Commas(s.Requests), "", name)
}

// carried adds a row of an estimate.
func (p *auditPage) carried(t *table, c report.Carried, count, second, name string) {
	p.row(t, c.Dollars, c.Sent, fmt.Sprintf("%.0f×", c.Times()), count, second, name)
}

// row adds a row. Its share is one of the dollars, or where no price is known at all, of the tokens.
func (p *auditPage) row(t *table, money, tokens float64, times, count, second, name string) {
	amount, part, whole := report.Dollars(money), money, p.r.Total.Dollars
	if whole == 0 {
		part, whole = tokens, float64(max(p.r.Total.Tokens(), 1))
	}
	if money == 0 && tokens > 0 {
		amount = "?"
	}
	p.most = max(p.most, part)
	t.addSafe(amount, fmt.Sprintf("%.0f %%", part*100/whole), p.bars().Render(fineBar(part/max(p.most, 1e-9), p.barCells())),
		report.Magnitude(tokens), times, count, second, "")
	p.names = append(p.names, oneLine(name))
}

// bars is the style of bars.
func (p *auditPage) bars() lipgloss.Style {
	if !p.colours() {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Blue)
}

// barCells is how wide bars are.
func (p *auditPage) barCells() int {
	const narrow, wide, wideFrom = 5, 16, 110
	if p.width >= wideFrom {
		return wide
	}
	return narrow
}

// filled lists what filled the requests, the dearest first, and the answers beside it.
func (p *auditPage) filled(t *table) {
	p.section(t, "≈DOLLARS", "SENT", "TIMES", "", "", "PART OF THE REQUESTS")
	all := slices.Clone(p.r.Filled)
	slices.SortStableFunc(all, func(a, b report.Filled) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(b.Sent, a.Sent))
	})
	rest, shown := p.r.Total.Dollars, 0
	for _, f := range all {
		rest -= f.Dollars
		if f.Sent > 0 && shown < p.rows+filledRows {
			shown++
			p.carried(t, f.Carried, "", "", f.Class)
		}
	}
	p.row(t, max(rest, 0), float64(p.r.Total.Usage.Output), "", "", "", "answers")
}

// fit writes the names as far as they fit.
func (p *auditPage) fit(t *table) {
	last := len(t.head) - 1
	room := p.width
	for _, w := range t.widths()[:last] {
		room -= w + 2
	}
	for i, name := range p.names {
		name, heading := strings.CutPrefix(name, "\x00")
		if p.width > 0 {
			name = p.cut(name, max(room, auditName))
		}
		if heading {
			name = t.style.Render(name)
		}
		t.rows[i][last] = name
	}
}

// cut shortens a name: of a path the end tells more, of words the beginning.
func (p *auditPage) cut(name string, room int) string {
	if strings.HasPrefix(name, "~"+separator) || filepath.IsAbs(name) {
		return ending(name, room)
	}
	return line(name, room)
}

// compactions lists what compactions lost.
func (p *auditPage) compactions(w io.Writer) {
	r := p.r
	if r.Compacted == 0 {
		return
	}
	lost := r.Lost
	p.say(w, "%s, %s → %s tokens; then %s read again (≈%s), %s run again, %s of %s names that were used again are not in the summaries",
		plural(r.Compacted, "compaction"), report.Magnitude(float64(lost.Before)), report.Magnitude(float64(lost.After)),
		plural(lost.Reread.Count, "file"), report.Dollars(lost.Reread.Dollars), plural(lost.Rerun.Count, "command"),
		chars.Commas(lost.Missing), chars.Commas(lost.Used))
	if p.rows < scarce {
		return
	}
	t := p.newTable(">BEFORE", ">AFTER", ">REREAD", ">RERUN", ">NAMES LOST", "COMPACTION")
	p.names = nil
	for _, l := range r.Compactions[:min(len(r.Compactions), (p.rows+1)/2)] {
		t.addSafe(report.Magnitude(float64(l.Before)), report.Magnitude(float64(l.After)), chars.Commas(l.Reread.Count), chars.Commas(l.Rerun.Count),
			fmt.Sprintf("%d of %d", l.Missing, l.Used), "")
		var names []string
		for _, n := range l.Names {
			names = append(names, n[strings.LastIndexByte(n, '/')+1:])
		}
		p.names = append(p.names, oneLine(p.stamp(l.Time)+" "+shortID(l.Session)+" "+strings.Join(names, ", ")))
	}
	p.fit(t)
	t.print(w)
}

// replayed says what the product would have made of the dearest sessions.
func (p *auditPage) replayed(w io.Writer) {
	r := p.r.Replayed
	if r == nil {
		return
	}
	if r.Sessions == 0 {
		p.say(w, "with ctxledger: no session could be replayed in so short a time; ctxledger bench replay FILE takes longer")
		return
	}
	p.say(w, "with ctxledger, in a replay of the %s of %s (%.0f %% of the cost): %s instead of %s, %s; replay, not solved tasks",
		dearestOf(r.Sessions), chars.Commas(r.Of), r.Part*100, playCost(r.Ours), playCost(r.Recorded), savedShare(r.Saved))
}

// dearestOf names the sessions that were replayed.
func dearestOf(n int) string {
	if n == 1 {
		return "dearest session"
	}
	return chars.Commas(n) + " dearest sessions"
}

// playCost prints what a replay cost.
func playCost(p report.Play) string {
	if p.Priced {
		return report.Dollars(p.Dollars)
	}
	return report.Magnitude(p.Units) + " tokens"
}

// savedShare prints a share that is saved, or that is dearer.
func savedShare(share float64) string {
	if share < 0 {
		return fmt.Sprintf("%.0f %% dearer", -share*100)
	}
	return fmt.Sprintf("%.0f %% saved", share*100)
}

// shortID is as much of a host's id as tells sessions apart.
func shortID(id string) string { return id[:min(len(id), 8)] }

// caveats says what the figures do not know.
func (p *auditPage) caveats(w io.Writer) {
	c := p.r.Caveats
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if s := p.r.Subagents; s.Requests > 0 {
		say("subagents: %s of it, %s", report.Dollars(s.Dollars), plural(s.Requests, "request"))
	}
	if c.Unfinished.Requests > 0 {
		say("%s recorded only when they began: by their text ≈%s tokens, ≈%s more", plural(c.Unfinished.Requests, "answer"),
			report.Magnitude(c.Unfinished.Tokens), report.Dollars(c.Unfinished.Dollars))
	}
	if c.LongWrites > 0 {
		say("%s tokens cached for an hour, at twice the input price", report.Magnitude(float64(c.LongWrites)))
	}
	if c.Fast > 0 {
		say("%s in fast mode cost more than the list price that is used here", plural(c.Fast, "request"))
	}
	if len(c.Unpriced) > 0 {
		say("no price is known of %s: not in the dollars", line(strings.Join(c.Unpriced, ", "), 60))
	}
	if len(notes) > 0 {
		p.say(w, "%s", strings.Join(notes, "; "))
	}
}

// say writes a sentence in lines that fit.
func (p *auditPage) say(w io.Writer, format string, args ...any) {
	text := plain(fmt.Sprintf(format, args...))
	if p.width > 0 {
		text = lipgloss.Wrap(text, p.width, " ")
	}
	fmt.Fprintln(w, text)
}

// short writes a path below the home directory with ~.
func (p *auditPage) short(path string) string {
	if path == "" {
		return "(not known)"
	}
	if rest, ok := strings.CutPrefix(path, p.Env.Home+separator); ok && p.Env.Home != "" {
		return "~" + separator + rest
	}
	return path
}
