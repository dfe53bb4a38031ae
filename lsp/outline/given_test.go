package outline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lsp/text"
)

const script = "class A:\n  def feed(self):\n    pass\n\ndef g():\n  pass\n"

// part returns the section of a text that begins with name and ends with end.
func part(script, name, end string) Section {
	from := strings.Index(script, name)
	at := from + strings.IndexByte(name, ' ') + 1
	return Section{Name: name[at-from:], Kind: Function, From: from, At: at, End: from + len(name),
		To: from + strings.Index(script[from:], end) + len(end)}
}

// shown returns the sections of an outline: depth, name and text.
func shown(o *Outline, text string) (list []string) {
	for i := range o.Len() {
		s := o.Section(i)
		list = append(list, fmt.Sprintf("%d %s %q", s.Depth, text[s.At:s.End], text[s.From:s.To]))
	}
	return list
}

// TestGivenSectionsAreNested: to add a case, add a row.
func TestGivenSectionsAreNested(t *testing.T) {
	class, method := part(script, "class A", "pass"), part(script, "def feed", "pass")
	function := part(script, "def g", "  pass")
	g := `0 g "def g():\n  pass"`
	across := Section{Name: "across", From: method.From, At: method.From, End: method.From, To: function.To}
	for _, c := range []struct {
		name  string
		given []Section
		want  []string
	}{
		{"in any order", []Section{function, method, class}, []string{
			`0 A "class A:\n  def feed(self):\n    pass"`, `1 feed "def feed(self):\n    pass"`, g}},
		{"partly inside of another one", []Section{class, across},
			[]string{`0 A "class A:\n  def feed(self):\n    pass"`}},
		{"outside the text", []Section{{From: 1, At: 1, End: 2, To: 1 << 30}, {From: -1, To: 3}, function},
			[]string{g}},
		{"with its name outside of it", []Section{{From: 9, At: 0, End: 2, To: 12}, function}, []string{g}},
		{"empty", []Section{{From: 5, At: 5, End: 5, To: 5}, function}, []string{g}},
		{"none, so blocks are found", nil, []string{`0 class A "class A:\n  def feed(self):\n    pass"`,
			`1 def feed(self) "  def feed(self):\n    pass"`, `0 def g() "def g():\n  pass"`}},
	} {
		if got := shown(Given(Indented, textOf(script), c.given), script); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestGivenSectionsMove edits the text: each section stays with its text, and goes when its beginning or end does.
func TestGivenSectionsMove(t *testing.T) {
	sections := []Section{part(script, "class A", "pass"), part(script, "def feed", "pass"),
		part(script, "def g", "  pass")}
	class, feed := `0 A "class A:\n  def feed(self):\n    pass"`, `1 feed "def feed(self):\n    pass"`
	g := `0 g "def g():\n  pass"`
	for _, c := range []struct {
		name, old, new string // the first old of the text becomes new
		want           []string
	}{
		{"before all", "class", "import os\nclass", []string{class, feed, g}},
		{"inside", "pass\n\n", "pass # 😀\n\n", []string{class, feed, g}},
		{"in a name", "def feed(", "def fd(", []string{
			`0 A "class A:\n  def fd(self):\n    pass"`, `1 fd "def fd(self):\n    pass"`, g}},
		{"in a body", "self", "self, x", []string{
			`0 A "class A:\n  def feed(self, x):\n    pass"`, `1 feed "def feed(self, x):\n    pass"`, g}},
		{"the end of two", "s\n\ndef", "s\ndef", []string{class, feed, g}},
		{"from one to the next", "pass\n\ndef g", "g", nil},
		{"one goes", "def feed(self):\n    pass", "", []string{`0 A "class A:\n  "`, g}},
		{"all go", script, "", nil},
	} {
		before := textOf(script)
		from := strings.Index(script, c.old)
		change := text.Change{From: from, To: from + len(c.old), With: c.new}
		// What both have in common at the ends is not edited.
		for change.To > change.From && strings.HasPrefix(change.With, script[change.From:change.From+1]) {
			change.From, change.With = change.From+1, change.With[1:]
		}
		for change.To > change.From && strings.HasSuffix(change.With, script[change.To-1:change.To]) {
			change.To, change.With = change.To-1, change.With[:len(change.With)-1]
		}
		after := before.Replace(change.From, change.To, change.With)
		edited := Given(Indented, before, sections).Edit(change, after)
		if got := shown(edited, string(after.Bytes(0, after.Len()))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
		edited.Release()
		if got := shown(edited, string(after.Bytes(0, after.Len()))); !slices.Equal(got, c.want) {
			t.Errorf("%s, released: %q", c.name, got)
		}
	}
}

// TestGivenSectionsStayInTheText makes random sections and edits: whatever is given, sections are nested and in the text.
func TestGivenSectionsStayInTheText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		current := textOf(strings.Repeat("word ", rng.IntN(20)))
		var sections []Section
		for range rng.IntN(20) {
			at := func() int { return rng.IntN(current.Len()+4) - 2 }
			sections = append(sections, Section{From: at(), At: at(), End: at(), To: at()},
				Section{From: 0, To: at()})
		}
		o := Given(Indented, current, sections)
		for range 10 {
			from := rng.IntN(current.Len() + 1)
			to := from + rng.IntN(current.Len()-from+1)
			c := text.Change{From: from, To: to, With: strings.Repeat("x", rng.IntN(9))}
			current = current.Replace(c.From, c.To, c.With)
			o = o.Edit(c, current)
			var open []Section
			for i := range o.Len() {
				s := o.Section(i)
				if !s.within(current.Len()) {
					t.Fatalf("%+v in a text of %d", s, current.Len())
				}
				for len(open) > s.Depth {
					open = open[:len(open)-1]
				}
				if s.Depth > len(open) || len(open) > 0 && open[len(open)-1].To < s.To {
					t.Fatalf("%+v in %+v", s, open)
				}
				open = append(open, s)
			}
		}
	}
}
