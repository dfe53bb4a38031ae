package anyfile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// MaxLens is how long the title of a lens is at most, in characters, where it can be shorter. VS Code 1.139 shows 330 pixels of it in
// a window of 1,280 with the panel beside the editor, 51 characters of a wide font.
const MaxLens = 50

// Lens returns the title above the first line of a file: its cost and its use by the live session. What does not fit is in
// the hover.
func Lens(f File) string {
	all := f.Meter.Say(f.whole())
	if f.Text.Len() > MaxOutlined {
		all += " · too large to show more"
	}
	cost := Meter{Counter: f.Meter.Counter}.Say(f.whole())
	disk := f.saved()
	times, taken, state, who := f.used(disk)
	titles := []string{
		joined(all, times+taken, state+who), joined(cost, times+taken, state+who), joined(cost, times+taken, state),
		joined(cost, times, state),
	}
	if disk.Text != nil { // of which the rest speaks
		n := Meter{Counter: f.Meter.Counter}.Say(disk.count(f.Meter))
		saved := f.whole().String()
		if f.whole().N == disk.count(f.Meter).N {
			saved = "as many"
		}
		both := n + ", " + saved + " once saved"
		titles, cost = []string{joined(both, times, state), joined(both, state)}, n
	}
	for _, title := range titles {
		if utf8.RuneCountInString(title) <= MaxLens {
			return title
		}
	}
	return joined(cost, state)
}

// count returns the tokens of the file on disk.
func (d Disk) count(m Meter) tokens.Count { return d.Text.Count(m.Counter, 0, d.Text.Len()) }

// joined joins what there is.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// used describes the use of a file by the live session: how often it was read, what these reads take, what is known of the
// file since, and who changed it.
func (f File) used(disk Disk) (times, taken, state, who string) {
	u := f.Use
	switch {
	case !u.Known():
		return "", "", "", ""
	case u.Reads == 0:
		times = "written"
	default:
		times = "read " + chars.Times(u.Reads)
	}
	if u.Reads > 0 {
		taken = ", " + u.Took.Tokens()
	}
	if u.Stale {
		who = ", " + changes.Who(u.By, u.Sub)
	}
	switch {
	case u.Lost():
		state = "not in its window now"
	case disk.Gone, u.Gone:
		state = "deleted since"
	case u.Stale:
		state = "changed since"
	case u.Fresh:
		state = "unchanged since"
	case u.Part:
		state = "unchanged where read"
	}
	return times, taken, state, who
}

// ExplainLens returns the lines that explain the figures of a lens.
func ExplainLens(f File) string {
	lines := []string{"this file, as open in the editor: " + f.Meter.Say(f.whole())}
	disk := f.saved()
	if disk.Text != nil {
		lines = append(lines, "on disk (the figures below refer to this): "+f.Meter.Say(disk.count(f.Meter)))
	}
	lines = append(lines, f.Meter.Counted())
	if times, taken, state, who := f.used(disk); times != "" {
		switch {
		case taken != "" && f.Use.Dropped:
			left := f.Use.Left.String()
			if f.Use.Left.N == 0 {
				left = "none"
			}
			taken += " in all, " + left + " of them still in its window"
		case taken != "":
			taken += " of its window"
		}
		lines = append(lines, times+" by the followed session"+taken)
		if state == "" {
			state = "not known whether it has changed since"
		}
		lines = append(lines, state+who)
	}
	return strings.Join(lines, "\n")
}

// maxModel is how much is shown of a model's name, in characters: a session's is whatever its file says.
const maxModel = 100

// Counted says for what it counts, and how.
func (m Meter) Counted() string {
	model := chars.Short(chars.Line(m.Counter.Model()), maxModel)
	switch {
	case model == "" && m.Counter.Exact():
		return "counted in o200k_base, since no model is known"
	case model == "":
		return "rough estimate, since no model is known"
	case m.Counter.Exact():
		return "counted for " + model + ", exactly"
	case m.Rough():
		return "rough estimate for " + model + ", not calibrated yet"
	default:
		return "estimated for " + model + ", calibrated on " + chars.Plural(int(m.Counter.Measurements()), "request")
	}
}
