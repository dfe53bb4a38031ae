package anyfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLens is how long the title of a lens is, in characters, where it can be shorter. VS Code 1.139 shows 330 pixels of it in
// a window of 1,280 with the panel beside the editor, 51 characters of a wide font.
const maxLens = 50

// Lens returns the title above the first line of a file: its cost and its use by the live session. What does not fit is in
// the hover.
func Lens(f File) string {
	all := f.Meter.Say(f.whole())
	if f.Text.Len() > MaxOutlined {
		all += " · too large to show more"
	}
	cost := Meter{Counter: f.Meter.Counter}.Say(f.whole())
	times, tokens, state, who := f.used()
	for _, title := range []string{
		joined(all, times+tokens, state+who), joined(cost, times+tokens, state+who), joined(cost, times+tokens, state),
		joined(cost, times, state),
	} {
		if utf8.RuneCountInString(title) <= maxLens {
			return title
		}
	}
	return joined(cost, state)
}

// joined joins what there is.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// used describes the use of a file by the live session: how often it was read, what these reads take, what is known of the
// file since, and who changed it.
func (f File) used() (times, tokens, state, who string) {
	u := f.Use
	if u.Reads == 0 {
		return "", "", "", ""
	}
	times = fmt.Sprintf("read %d times", u.Reads)
	if u.Reads == 1 {
		times = "read once"
	}
	switch {
	case u.Stale:
		state, who = "changed since", ", "+by(u.By)
	case u.Fresh:
		state = "unchanged since"
	}
	return times, ", " + f.Meter.Counter.Of(u.Tokens).String() + " tokens", state, who
}

// ExplainLens returns the lines that explain the figures of a lens.
func ExplainLens(f File) string {
	lines := []string{"this file, as it is open: " + f.Meter.Say(f.whole()), f.Meter.Counted()}
	if times, tokens, state, who := f.used(); times != "" {
		lines = append(lines, times+" by the live session"+tokens+" of its window")
		if state == "" {
			state = "whether it has changed since is not known"
		}
		lines = append(lines, state+who)
	}
	return strings.Join(lines, "\n")
}

// Counted says for what it counts, and how.
func (m Meter) Counted() string {
	model := m.Counter.Model()
	switch quality := m.Counter.Quality(); {
	case model == "":
		return "counted in o200k_base, since no model is known"
	case m.Counter.Exact():
		return "counted for " + model + ", exactly"
	case quality == "prior":
		return "estimated for " + model + ", before anything was measured"
	default:
		return "estimated for " + model + ": " + quality + " by what was measured"
	}
}
