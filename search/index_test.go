package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/internal/words"
	"ctxledger.dev/kv"
)

var texts = Index{Bucket: "search"}

func bag(text string) (b Bag) {
	b.Add(text, 1)
	return b
}

// inside returns all that an index holds, as a text: each document with its stems.
func inside(t *testing.T, tx kv.Tx) string {
	t.Helper()
	all, err := texts.segments(tx)
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := texts.dropped(tx)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range all {
		c, err := texts.read(tx, s)
		if err != nil {
			t.Fatal(err)
		}
		said := make([]string, len(c.rows))
		for _, p := range c.postings {
			said[p.doc] += fmt.Sprintf(" %d:%d", p.stem, p.n)
		}
		for i, r := range c.rows {
			if !dropped[r.name] {
				lines = append(lines, fmt.Sprintf("%q %d%s", r.name, r.length, said[i]))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestAnIndexIsWhatARebuildGives: after random additions, drops and purges it holds what one made of the living documents
// holds, and finds every document that a linear scan finds.
func TestAnIndexIsWhatARebuildGives(t *testing.T) {
	vocabulary := strings.Fields("connection connections refused parseConfig HTTP_SERVER retry retries 数据库 naïve a of test testing")
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := storetest.Open(t)
		living := map[string]string{}
		for range 60 {
			var add []Doc
			for range r.IntN(5) {
				name, text := fmt.Sprint("doc ", r.Uint64()), ""
				for range r.IntN(12) {
					text += vocabulary[r.IntN(len(vocabulary))] + " "
				}
				living[name], add = text, append(add, Doc{Name: name, Bag: bag(text)})
			}
			drop := ""
			for name := range living {
				if r.IntN(8) == 0 && !slices.ContainsFunc(add, func(d Doc) bool { return d.Name == name }) {
					drop = name
				}
			}
			delete(living, drop)
			purge := r.IntN(10) == 0
			storetest.Update(t, s, func(tx kv.Tx) error {
				if err := texts.Add(tx, add); err != nil {
					return err
				}
				if drop != "" {
					if err := texts.Drop(tx, drop); err != nil {
						return err
					}
				}
				if purge {
					return texts.Purge(tx)
				}
				return nil
			})
		}
		got, other := "", storetest.Open(t)
		storetest.View(t, s, func(tx kv.Tx) error { got = inside(t, tx); scan(t, tx, living, vocabulary); return nil })
		storetest.Update(t, other, func(tx kv.Tx) error {
			for name, text := range living {
				if err := texts.Add(tx, []Doc{{Name: name, Bag: bag(text)}}); err != nil {
					return err
				}
			}
			return nil
		})
		storetest.View(t, other, func(tx kv.Tx) error {
			if want := inside(t, tx); got != want {
				t.Errorf("seed %d: got\n%s\nwant\n%s", seed, got, want)
			}
			return nil
		})
	}
}

// scan compares what the index finds with what a scan of all texts finds.
func scan(t *testing.T, tx kv.Tx, living map[string]string, queries []string) {
	t.Helper()
	for _, q := range queries {
		terms := words.Query(q, MaxTerms)
		want := map[string]bool{}
		for name, text := range living {
			words.Each(text, func(w words.Stem) { want[name] = want[name] || slices.Contains(terms, w) })
			if !want[name] {
				delete(want, name)
			}
		}
		hits, total, err := texts.Find(tx, q, 1000)
		if err != nil || len(hits) != len(want) || total != len(want) {
			t.Fatalf("%q: %d hits, total %d, want %d, %v", q, len(hits), total, len(want), err)
		}
		for _, h := range hits {
			if !want[h.Name] {
				t.Errorf("%q: found %s", q, h.Name)
			}
		}
	}
}
