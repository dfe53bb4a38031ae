package anyfile

import (
	"cmp"
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

// Lens returns the title above the first line of a file: what it takes in the window of the live session, and its use there;
// of another one, what its text has, and what a read of it would take. What does not fit is in the hover.
func Lens(f File, cost Cost) string {
	file := cost.Tokens.Tokens() + " in file"
	times, taken, state, more := f.used(f.saved())
	var titles []string
	switch {
	case times == "" && f.Text.Len() > MaxOutlined:
		return file + " · too large to show more"
	case times == "" && cost.Cut:
		return file
	case times == "":
		return file + " · " + cost.Read.String() + " when read"
	case taken.N == 0:
		titles = []string{joined(file, times, state+more), joined(file, times, state), joined(times, state)}
	default:
		if u := f.Use; u.Reads > 0 && u.Window.N > u.Left.N {
			times += " + edits" // the window has something of both
		}
		counted := times + ", " + taken.Tokens() + " in window"
		titles = []string{joined(counted, state+more), joined(counted, state),
			joined(times+", "+taken.String()+" in window", state), joined(taken.Tokens()+" in window", state)}
	}
	for _, title := range titles {
		if utf8.RuneCountInString(title) <= MaxLens {
			return title
		}
	}
	return titles[len(titles)-1]
}

// count returns the tokens of the file on disk.
func (d Disk) count(m Meter) tokens.Count { return d.Text.Count(m.Counter, 0, d.Text.Len()) }

// joined joins what there is.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// used describes the use of a file by the live session: how often it was read, what its window has of it, what is known of the
// file since, and who changed it, or whether lines moved.
func (f File) used(disk Disk) (times string, taken tokens.Count, state, more string) {
	u := f.Use
	switch {
	case !u.Known():
		return "", taken, "", ""
	case u.Reads == 0:
		times = "written"
	default:
		times = "read " + chars.Times(u.Reads)
	}
	switch {
	case u.Stale:
		more = ", " + changes.Who(u.By, u.Sub)
	case u.Moved:
		more = ", lines moved"
	}
	switch {
	case u.Lost():
		state = "not in its window now"
	case disk.Gone, u.Gone:
		state = "deleted since"
	case u.Stale:
		state = "changed since"
	case disk.Text != nil && u.Fresh: // and the open one is another
		state = "unchanged on disk"
	case disk.Text != nil && u.Part:
		state = "unchanged on disk where read"
	case u.Fresh:
		state = "unchanged since"
	case u.Part:
		state = "unchanged where read"
	}
	return times, u.Window, state, more
}

// ExplainLens returns the lines that explain the figures of a lens.
func ExplainLens(f File, cost Cost) string {
	lines := []string{"this file, as open in the editor: " + f.Meter.Say(cost.Tokens)}
	disk := f.saved()
	if disk.Text != nil {
		saved := f
		saved.Text = disk.Text
		cost = CostOf(saved)
		lines = append(lines, "on disk (the figures below refer to this): "+f.Meter.Say(disk.count(f.Meter)))
	}
	if !disk.Gone {
		lines = append(lines, cost.reading())
	}
	lines = append(lines, f.Meter.Counted())
	if used := ExplainUse(f); used != "" {
		lines = append(lines, used)
	}
	return strings.Join(lines, "\n")
}

// ExplainUse returns the lines about the use of a file by the live session; "": it has not used it.
func ExplainUse(f File) string {
	times, _, state, more := f.used(f.saved())
	if times == "" {
		return ""
	}
	u, said := f.Use, times+" by the followed session"
	switch {
	case u.Reads > 0 && u.Dropped: // of which the title has what is left, with what was written
		left := u.Left.String()
		if u.Left.N == 0 {
			left = "none"
		}
		said += ", " + u.Took.Tokens() + " in all, " + left + " of them still in its window"
	case u.Reads > 0:
		said += ", " + u.Took.Tokens() + " in its window"
	}
	lines := []string{said}
	if u.Window.N > 0 && u.Window != u.Left {
		lines = append(lines, "with what it wrote, "+u.Window.Tokens()+" in its window")
	}
	if u.Measured && u.Took.N+u.Window.N > 0 {
		lines[len(lines)-1] += ", by what the provider counted for the session"
	}
	return strings.Join(append(lines, cmp.Or(state, "not known whether it has changed since")+more), "\n")
}

// maxModel is how much is shown of a model's name, in characters: a session's is whatever its file says.
const maxModel = 100

// Counted says for what it counts, and how.
func (m Meter) Counted() string {
	model := chars.Short(chars.Line(m.Counter.Model()), maxModel)
	why := ", since no model is known"
	if m.Reading {
		why = " while session files are being read"
	}
	switch {
	case m.assumed():
		return "counted in o200k_base" + why
	case model == "":
		return "rough estimate" + why
	case m.Counter.Exact():
		return "counted for " + model + ", exactly"
	case m.Rough():
		return "rough estimate for " + model + ", not calibrated yet"
	default:
		return "estimated for " + model + ", calibrated on " + chars.Plural(int(m.Counter.Measurements()), "request")
	}
}
