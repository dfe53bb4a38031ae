package graph

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPartsEqualTheWhole cuts random documents into parts: they are the document that is read in one.
func TestPartsEqualTheWhole(t *testing.T) {
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 46))
		source := written(r, r.IntN(80))
		of := func(parts int) string {
			text := sourceOf(source)
			d := assembled(Settings{}, "doc.md", text, Span{}, marksFrom(text, 0, parts), earlier{})
			d.named(nil)
			return outlined(d)
		}
		if diff := cmp.Diff(of(1), of(2+r.IntN(6))); diff != "" {
			t.Fatalf("seed %d, %q: -whole +parts\n%s", seed, source, diff)
		}
	}
}

// TestIDsAreThoseOfTheExpression: an id is read as this expression finds it.
func TestIDsAreThoseOfTheExpression(t *testing.T) {
	for _, c := range []struct{ title, text, id string }{
		{"A {id=a}", "A", "a"}, {"A{id=a} \t", "A", "a"}, {"{id=a}", "", "a"},
		{"A {id=1}", "A", ""}, {"A {id=}", "A", ""},
		{"A {id=a} b", "A {id=a} b", ""}, {"A {id=a}}", "A {id=a}}", ""}, {"A {id={id=a}", "A {id=", "a"},
		{"A {b} {id=c}", "A {b}", "c"}, {"A {id=a b}", "A", ""}, {"A }{id=x}", "A }", "x"},
		{"A {id=x}{", "A {id=x}{", ""},
	} {
		if text, id, at, _ := takeID(c.title); text != c.text || id != c.id || id != "" && at.In(c.title) != id {
			t.Errorf("%q: %q, %q at %v", c.title, text, id, at)
		}
	}
}
