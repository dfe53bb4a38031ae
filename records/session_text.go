package records

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
)

// sessionText returns a session turn by turn: requests, answers and calls. A long session is cut to its newest turns.
func (r Reader) sessionText(ctx context.Context, id string) (string, error) {
	st, err := r.API.Status(ctx, ledger.StatusRequest{Session: id, Counted: true})
	if err != nil {
		return "", err
	}
	head := r.Head(st)
	t := sessionWriter{conversation: r.conversation(st), asked: map[int]string{}, costs: map[int]string{}, turn: -1}
	stats, err := r.API.TurnStats(ctx, ledger.TurnStatsRequest{Session: id})
	if err != nil {
		return "", err
	}
	for _, x := range stats.Turns {
		t.costs[x.Turn] = x.Cost()
	}
	t.takes(head, -1)
	left, err := t.collect(ctx, st.Session.Seq)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(head)
	if left > 0 {
		fmt.Fprintf(&b, "\n*The newest part is shown: %s before it are left out. "+
			"`ctxledger artifact read %s` prints all of them, as they were received.*\n",
			chars.Plural(left, "entry"), id)
	}
	if err := t.write(ctx, &b); err != nil {
		return "", err
	}
	return r.finish(ctx, b.String(), "`ctxledger artifact read "+id+"`")
}

// maxHeading is the longest title of a page, in characters: two lines of it.
const maxHeading = 80

// maxAsking is how much of what was asked stands beside the date and the cost of a turn, in characters: a line.
const maxAsking = 50

// Head returns what a session is and cost, as Markdown: what a person looks for first, ids last.
func (r Reader) Head(st ledger.Status) string {
	s := st.Session
	title := cutWords(chars.Title(flat(s.Title)), maxHeading)
	if title == "" {
		title = "Session " + s.ID
	}
	view := st.Used
	if st.Fixed != nil {
		view = carried.Plus(view, *st.Fixed)
	}
	used := "shortened by ctxledger: " + view.Tokens() + ", for comparison"
	if st.Measured > 0 {
		used = held(st.Use) + " · " + used
	}
	long := fields("; ", chars.Plural(s.Seq, "entry"), spent(s.Usage))
	prices := st.Cost.Words()
	if st.Subagents != nil {
		prices += "; " + st.Subagents.String()
	}
	if st.Unfinished != nil {
		prices = fields("; ", prices, report.Unfinished(*st.Unfinished).String())
	}
	gone := ""
	if s.Forgotten != nil {
		gone = "its messages were forgotten on " + r.stamp(*s.Forgotten)
	}
	dir := strings.TrimRight(flat(s.Dir), `/\`) // of any system; its last name will do here
	if dir = dir[strings.LastIndexAny(dir, `/\`)+1:]; dir != "" {
		dir = "in " + code(dir)
	}
	return "# " + literal(title) + "\n\n" +
		item(fields(" · ", literal(hostTitle(s)), literal(flat(st.Model)),
			r.took(s), chars.Plural(s.Turns, "turn"))) +
		item(literal(prices)) +
		item(used) +
		item(long) +
		proxied(st.Proxy) +
		item(gone) +
		item(fields(" · ", "session `"+s.ID+"`", dir))
}

// hostTitle returns the name of a session's agent, for people.
func hostTitle(s sessions.Session) string {
	return cmp.Or(registry.Of(s.Host).Title, flat(s.Host), "the agent")
}

// proxied says what a proxy measured of a session, and why its cache broke; nil: nothing.
func proxied(u *ledger.ProxyUse) (text string) {
	if u == nil {
		return ""
	}
	text = item(literal(u.Words()))
	if u.Reduced != nil {
		text += item(literal(u.Reduced.Words()))
	}
	for _, b := range u.Broke {
		text += item(literal(b.Words()))
	}
	return text
}

// held says how full the agent's own window is, which the provider has measured.
func held(u ledger.Use) string {
	text := u.Held.Tokens() + " in the agent's window"
	if u.Window > 0 {
		text += fmt.Sprintf(", %.1f%% of %s", 100*float64(u.Held.N)/float64(u.Window), chars.Commas(u.Window))
	}
	return text
}

// span is the number of entries that are read together.
const span = 500

// sessionWriter collects the text of a session up to the size limit.
type sessionWriter struct {
	conversation
	asked map[int]string // the first line of what the user said first, by turn
	parts []part         // newest first
	costs map[int]string // by turn, where prices are known
	turn  int            // of the last part
	size  int            // bytes of the text, stored or escaped, whichever is more
	wire  int            // upper bound of the size as JSON
}

// part is the text of one entry.
type part struct {
	turn int
	time time.Time
	text string
}

// Upper bounds of what is written around the texts, in bytes.
const (
	around  = 100              // of an entry
	heading = 6*maxShort + 100 // of a turn: what was asked, in entities of HTML
)

// collect adds the entries of a log up to one, newest first, until the limit. It returns how many are left out.
func (t *sessionWriter) collect(ctx context.Context, to int64) (left int64, err error) {
	for ; to > 0; to -= span {
		entries, err := t.log.entries(ctx, max(to-span+1, 1), to)
		if err != nil {
			return 0, err
		}
		for _, e := range slices.Backward(entries) {
			text, err := t.entry(ctx, e)
			if err != nil {
				return 0, err
			}
			if text == "" {
				continue
			}
			if !t.takes(text, e.Turn) {
				return e.Seq, nil
			}
			t.parts = append(t.parts, part{e.Turn, e.Time, text})
		}
	}
	return 0, nil
}

// entry returns the text of an entry; "" for entries that are not shown.
func (t *sessionWriter) entry(ctx context.Context, e sessions.Entry) (string, error) {
	t.take(&e)
	m, err := t.message(ctx, e)
	if m == nil || err != nil {
		return "", err
	}
	if m.Speaker == SpeakerUser && m.Text != "" {
		line, _, _ := strings.Cut(m.Text, "\n")
		t.asked[e.Turn] = flat(line) // entries come newest first: the first one of the turn stays
	}
	return t.messageText(ctx, *m, false)
}

// takes adds the size of a text of a turn. It reports whether it fits.
func (t *sessionWriter) takes(text string, turn int) bool {
	frame := around
	if turn != t.turn {
		t.turn = turn
		frame += heading
	}
	t.size += max(len(text), len(shown(text))) + frame
	t.wire += encoded(text) + frame
	return t.size < limits.MaskText-slack && t.wire < limits.Frame-2*slack
}

// write writes the collected parts by turn, oldest first. Each turn can be folded; all but the newest are.
func (t *sessionWriter) write(ctx context.Context, b *strings.Builder) error {
	if len(t.parts) == 0 {
		b.WriteString("\nNothing was said.\n")
		return nil
	}
	if err := t.maskAsked(ctx); err != nil {
		return err
	}
	turn, called := -1, false // the last line is a call
	for _, p := range slices.Backward(t.parts) {
		if p.turn != turn {
			if turn >= 0 {
				b.WriteString("\n" + endFolded + "\n")
			}
			turn = p.turn
			called = false
			begin := beginFolded
			if turn == t.parts[0].turn {
				begin = beginUnfolded
			}
			asked := cutWords(chars.Title(shown(t.asked[turn])), maxAsking)
			name := fields(" · ", turnName(turn), t.stamp(p.time), t.costs[turn], asked)
			b.WriteString("\n" + begin + "\n<summary>" + html.EscapeString(name) + "</summary>\n")
		}
		if !called || !strings.HasPrefix(p.text, listed) {
			b.WriteString("\n")
		}
		b.WriteString(p.text)
		called = endsWithCall(p.text)
	}
	b.WriteString("\n" + endFolded + "\n")
	return nil
}

// maskAsked masks the secrets in what was asked: in the document they would be cut, or escaped.
func (t *sessionWriter) maskAsked(ctx context.Context) error {
	turns := slices.Sorted(maps.Keys(t.asked))
	lines, texts := make([]string, len(turns)), make([]*string, len(turns))
	for i, turn := range turns {
		lines[i] = t.asked[turn]
		texts[i] = &lines[i]
	}
	if err := t.maskAll(ctx, texts); err != nil {
		return err
	}
	for i, turn := range turns {
		t.asked[turn] = lines[i]
	}
	return nil
}

func turnName(turn int) string {
	if turn == 0 {
		return "Before the first request"
	}
	return "Turn " + chars.Commas(turn)
}
