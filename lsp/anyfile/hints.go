package anyfile

// Hint is the cost of a section, shown at its end.
type Hint struct {
	At    int // byte
	Label string
}

// Hints returns the costs of the sections that end in [from,to] and have at least least tokens, at most one per line:
// that of the outermost section.
func Hints(f File, from, to, least int) []Hint {
	var hints []Hint
	lines := map[int]bool{}
	for i := range f.Outline.Len() {
		s := f.Outline.Section(i)
		if s.To < from || s.To > to || s.From > to {
			continue
		}
		line := f.Text.LineAt(s.To)
		if n := f.cost(s); n >= least && !lines[line] {
			lines[line] = true
			hints = append(hints, Hint{s.To, f.Meter.Of(n).String()})
		}
	}
	return hints
}
