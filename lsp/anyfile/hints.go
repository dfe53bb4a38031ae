package anyfile

// Hint is a cost that stands at the end of a section.
type Hint struct {
	At    int // byte
	Label string
}

// Hints are the costs of the sections that end from byte from to byte to and have least tokens or more, one
// a line: where several end, of the outermost.
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
