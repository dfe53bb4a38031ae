package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// snippets are what documents of tests are made of: what opens blocks and operations, and what closes or hides them.
var snippets = []string{
	"# A\n", "## B {id=b}\n", "   ### C\n", "#", "\n", "\n\n", "text\n", "@llm\n",
	"@shell\nprompt: ls\n", "prompt: |\n  one\n\n  two\n",
	"block: [a, b/*]\n", "```\n", "~~~~\n", "- item\n", "  # in an item\n", "    indented\n", "<!--\n", "-->\n",
	"<div>\n", "> quoted\n",
	"Title\n===\n", "---\n", "@goto\nblock: a\n", "{id=x}", " ", "\r\n", "é", "\xff", "\t", "[x]: y\n", "* * *\n",
	"@", "`",
	"# .system\n", "<!-- ctx-disable-next-line CG105, CG510 -->\n", "use-header: \"# X {id=x}\"\n",
	"mode: replace\nto: b\n",
}

// TestEditsEqualAParse edits documents at random, and compares each, and what is said of it, with its text parsed anew.
func TestEditsEqualAParse(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 45))
		d := Settings{}.Parse("doc.md", written(r, r.IntN(60)))
		for step := range 20 {
			from := r.IntN(d.Len() + 1)
			at := Span{from, min(from+r.IntN(12), d.Len())}
			if r.IntN(3) > 0 {
				at.To = at.From
			}
			text := written(r, r.IntN(4))
			before := d.Source()
			d = d.Edit(at, text)
			if diff := cmp.Diff(outlined(Settings{}.Parse("doc.md", d.Source())), outlined(d)); diff != "" {
				t.Fatalf("seed %d, step %d: %q with %q at %v: -parsed +edited\n%s", seed, step, before, text, at, diff)
			}
			if diff := cmp.Diff(checked(Settings{}.Parse("doc.md", d.Source()), nil), checked(d, t)); diff != "" {
				t.Fatalf("seed %d, step %d: %q: -parsed +edited\n%s", seed, step, d.Source(), diff)
			}
		}
	}
}

// checked returns what is said of a document: with figures that are kept for a value, unless that is nil.
func checked(d *Document, by any) []Finding {
	return Check(d, Options{Count: wordCount, Kept: by, Window: func(string) int { return 30 }})
}

// written returns a text of so many snippets.
func written(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(snippets[r.IntN(len(snippets))])
	}
	return b.String()
}

// outlined writes down all positions and names of a document.
func outlined(d *Document) string {
	var b strings.Builder
	fmt.Fprintln(&b, d.Front)
	for _, x := range d.Blocks {
		fmt.Fprintln(&b, x.Level, x.Heading(), x.Title, x.ID, x.IDAt(), x.Own, slices.Collect(x.body), x.URI())
	}
	for _, o := range d.Operations {
		fmt.Fprintln(&b, o.Name, o.At, o.NameAt)
		for _, f := range o.findings {
			fmt.Fprintln(&b, f.Code, f.At, f.Message, f.Related)
			if f.Fix != nil {
				fmt.Fprintln(&b, *f.Fix)
			}
		}
		for _, f := range o.Fields {
			fmt.Fprintln(&b, f.Key, f.At, f.Value)
		}
	}
	for _, m := range d.marks {
		level := 0
		if m.said != nil {
			level = m.Level
		}
		fmt.Fprintln(&b, m.kind, m.at, level, m.open)
	}
	return b.String()
}

// FuzzDocument: every text is a document, all positions are in it and in order, nothing panics, and nothing takes long.
func FuzzDocument(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 45))
	for range 50 {
		f.Add(written(r, 30))
	}
	f.Fuzz(func(t *testing.T, source string) {
		d := Settings{}.Parse("doc.md", source)
		at := d.Front.To
		for _, b := range d.Blocks {
			if b.Own.From < at || b.Own.To < b.Own.From || b.Own.To > len(source) || b.Heading().To > b.Own.To {
				t.Fatalf("a block at %v behind %d of %d bytes", b.Own, at, len(source))
			}
			at = b.Own.To
			for s := range b.body {
				if s.From > s.To || s.To > b.Own.To {
					t.Fatalf("a part at %v of a block at %v", s, b.Own)
				}
			}
		}
		for _, o := range d.Operations {
			for _, x := range o.Fields {
				if x.At.From < o.At.From || x.Value.To > o.At.To || x.Value.From > x.Value.To {
					t.Fatalf("a parameter at %v, %v of an operation at %v", x.At, x.Value, o.At)
				}
			}
		}
		for _, x := range Check(d, Options{Count: wordCount}) {
			if x.At.From < 0 || x.At.From > x.At.To || x.At.To > len(source) || x.Message == "" {
				t.Fatalf("%+v in %d bytes", x, len(source))
			}
		}
	})
}
