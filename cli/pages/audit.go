package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/report"
)

const (
	// mostRows is how many rows a list of an audit has where nothing limits it.
	mostRows = 10
	// pairWidth is the least width of a terminal for printing lists in pairs, in columns.
	pairWidth = 76
	// allRows is how many rows fit into each list when the less important lists are printed too.
	allRows = 4
)

// Audit draws an audit of past sessions. Lists get shorter until it fits the screen, with a line for what comes after it; where
// only few rows would be left the empty lines go first. The figures are those of package agents/audit; nothing is computed
// here but shares and bars. scope says whose sessions these are, next what else there is to ask for; "": nothing.
func (p Page) Audit(r audit.Audit, scope, next string) {
	var b bytes.Buffer
	fits := func(n int, airy bool) bool {
		b.Reset()
		a := auditPage{Page: p, r: r, scope: scope, next: next, width: p.Width, rows: n, airy: airy}
		a.print(&b)
		return p.Height == 0 || bytes.Count(b.Bytes(), []byte("\n")) < p.Height
	}
	fitted := func() bool {
		for n := mostRows; n >= allRows; n-- {
			if fits(n, true) {
				return true
			}
		}
		return false
	}
	if !fitted() {
		for n := mostRows; n >= 0 && !fits(n, false); n-- {
		}
	}
	p.W.Write(b.Bytes()) // into memory
}

// auditPage prints an audit with so many rows for each list.
type auditPage struct {
	Page
	r     audit.Audit
	scope string
	next  string
	width int // columns; 0: not known
	rows  int
	airy  bool // with empty lines between the parts
}

func (p *auditPage) print(w io.Writer) {
	p.headline(w)
	p.filled(w)
	p.days(w)
	p.gap(w)
	lists := p.lists()
	for i := 0; i < len(lists); i++ {
		if p.width < pairWidth || i+1 == len(lists) {
			p.write(w, p.lines(lists[i], p.width))
		} else {
			half := (p.width - between) / 2
			p.write(w, sideBySide(p.lines(lists[i], half), p.lines(lists[i+1], half), half))
			i++
		}
		p.gap(w)
	}
	p.losses(w)
	p.says(w)
}

// between is the gap between two lists of a pair, in columns.
const between = 3

// sideBySide puts two lists side by side, the left one in width columns.
func sideBySide(left, right []string, width int) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		}
		if i < len(right) && right[i] != "" {
			out[i] += strings.Repeat(" ", max(width+between-columns.Width(out[i]), 1)) + right[i]
		}
	}
	return out
}

func (p *auditPage) write(w io.Writer, lines []string) {
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
}

// gap prints an empty line if there is space for it.
func (p *auditPage) gap(w io.Writer) {
	if p.airy {
		fmt.Fprintln(w)
	}
}

// headline prints the totals.
func (p *auditPage) headline(w io.Writer) {
	r := p.r
	spent := cmp.Or(r.Total.Cost(), "nothing was measured")
	text := fmt.Sprintf("%s: %s, %s", spent, chars.Plural(r.Sessions, "session"),
		chars.Plural(r.Total.Requests, "request"))
	if r.Total.Dollars > 0 {
		text += ", " + report.Magnitude(float64(r.Total.Tokens())) + " tokens"
	}
	if p.width > 0 {
		text = columns.Fold(text, p.width, 0)
	}
	fmt.Fprintln(w, strings.Replace(text, spent, columns.Bold.If(p.Colours).Of(spent), 1))
	if p.scope != "" {
		fmt.Fprintln(w, p.scope)
	}
}

// days prints the period and a chart of its days.
func (p *auditPage) days(w io.Writer) {
	r := p.r
	when := p.date(r.From)
	if to := p.date(r.To); to != when {
		when += " to " + to
	}
	if len(r.Days) < 2 {
		fmt.Fprintln(w, when)
		return
	}
	dearest := slices.MaxFunc(r.Days, func(a, b report.Day) int { return cmp.Compare(a.Dollars, b.Dollars) })
	if dearest.Dollars > 0 {
		when += fmt.Sprintf(", peak day %s", chars.Money(dearest.Dollars, true))
	}
	const most, gap = 60, 2 // cells
	cells := most
	if p.width > 0 {
		cells = min(cells, p.width-columns.Width(when)-gap)
	}
	if cells > gap && dearest.Dollars > 0 {
		days := report.Calendar(r.Days)
		chart := spark(days[max(0, len(days)-cells):], dearest.Dollars)
		when = p.bars().Of(chart) + strings.Repeat(" ", gap) + when
	}
	fmt.Fprintln(w, when)
}

// date prints the day of a time in the reader's zone.
func (p *auditPage) date(t time.Time) string {
	day, _, _ := strings.Cut(p.Stamp(t), " ")
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

// bars is the style of bars.
func (p *auditPage) bars() columns.Style {
	return columns.Blue.If(p.Colours)
}

// short writes a path below the home directory with ~.
func (p *auditPage) short(path string) string {
	if path == "" {
		return "(not known)"
	}
	if rest, ok := strings.CutPrefix(path, p.Home+string(filepath.Separator)); ok && p.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// losses lists what each compaction lost, if there is space for more than the sum.
func (p *auditPage) losses(w io.Writer) {
	if len(p.r.Compactions) == 0 || p.rows <= allRows {
		return
	}
	t := p.table(">BEFORE", ">AFTER", ">REREAD", ">RERUN", ">NAMES LOST", "COMPACTION")
	var names []name
	for _, l := range p.r.Compactions[:min(len(p.r.Compactions), p.rows/2)] {
		t.AddSafe(report.Known(float64(l.Before)), report.Known(float64(l.After)),
			chars.Commas(l.Reread.Count), chars.Commas(l.Rerun.Count), fmt.Sprintf("%d of %d", l.Missing, l.Used), "")
		var lost []string
		for _, n := range l.Names {
			lost = append(lost, lastPart(n))
		}
		text := p.Stamp(l.Time) + " " + shortID(l.Session) + " " + strings.Join(lost, ", ")
		names = append(names, name{text: columns.OneLine(text)})
	}
	p.write(w, p.fitted(t, names, p.width))
	p.gap(w)
}

// lastPart returns the end of a path that distinguishes it from others; other names it returns whole.
func lastPart(name string) string {
	const telling = 4 // bytes
	i := strings.LastIndexByte(name, '/')
	if i > 0 && len(name)-i <= telling {
		i = strings.LastIndexByte(name[:i], '/')
	}
	return name[i+1:]
}

// shortID returns as much of a host's id as distinguishes sessions.
func shortID(id string) string { return id[:min(len(id), 8)] }
