package anyfile

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/outline"
)

// heaviest is how many sections an explanation names.
const heaviest = 5

// Explain returns what a file costs in a sentence or two, for a click on its lens: its tokens, what reading it adds to a
// conversation, and its most expensive sections. name is what the file is called.
func Explain(f File, name string) string {
	c := CostOf(f)
	said := chars.Short(chars.Line(path.Base(name)), longestName)
	if f.Unsaved != nil && *f.Unsaved {
		said += ", open and not saved"
	}
	said += ": " + f.Meter.Say(c.Tokens) + ". "
	if d := f.OnDisk(); d.Text != nil {
		said += "On disk: " + d.count(f.Meter).String() + ". The rest is about the open text. "
	}
	said += c.reading()
	var costs []string
	for _, s := range f.outermost() {
		costs = append(costs, chars.Short(chars.Line(s.Name), longestName)+" "+f.cost(s).String())
	}
	if len(costs) > 1 {
		said += " Most expensive: " + strings.Join(costs, ", ") + "."
	}
	return said
}

// reading says what an agent gets that reads the file.
func (c Cost) reading() string {
	switch {
	case c.Cut && c.Read.N == 0:
		return "Claude Code refuses to read it in full."
	case c.Cut:
		return "Claude Code reads only its first " + chars.Commas(readTokens) + " tokens at a time."
	}
	return "Reading the file adds " + c.Read.String() + ", line numbers included."
}

// outermost returns the most expensive sections of which none is a part of another one. A title that holds all others
// is left out for what it holds.
func (f File) outermost() []outline.Section {
	var sections []outline.Section
	for i := range f.Outline.Len() {
		sections = append(sections, f.Outline.Section(i))
	}
	depth := 0
	for depth < 3 && count(sections, depth) == 1 {
		depth++
	}
	sections = slices.DeleteFunc(sections, func(s outline.Section) bool { return s.Depth != depth })
	slices.SortStableFunc(sections, func(a, b outline.Section) int { return cmp.Compare(f.cost(b).N, f.cost(a).N) })
	return sections[:min(heaviest, len(sections))]
}

func count(sections []outline.Section, depth int) (n int) {
	for _, s := range sections {
		if s.Depth == depth {
			n++
		}
	}
	return n
}
