package anyfile

// Hint is the cost of a section, shown behind the line with its name: the end of a section is not where it is looked for,
// and moves while source does not parse.
type Hint struct {
	At    int // byte
	Label string
}

// Hints returns the costs of the sections whose names are in [from,to] and that have at least least tokens, at most one
// per line: that of the outermost section.
func Hints(f File, from, to, least int) []Hint {
	var hints []Hint
	lines := map[int]bool{}
	for i := range f.Outline.Len() {
		s := f.Outline.Section(i)
		if s.At < from || s.At > to {
			continue
		}
		line := f.Text.LineAt(s.At)
		if n := f.cost(s); n.N >= least && !lines[line] {
			lines[line] = true
			_, end := f.Text.Line(line)
			hints = append(hints, Hint{end, n.String()})
		}
	}
	return hints
}
