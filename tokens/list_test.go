package tokens

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The leaves of the test have texts and tokens of any number; a slice stands beside the list.
func TestListIsASequenceOfLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	some := func(n int) []*leaf {
		leaves := make([]*leaf, n)
		for i := range leaves {
			size := 1 + rng.IntN(9)
			leaves[i] = &leaf{text: make([]byte, size), tokens: 1 + rng.IntN(9)}
		}
		return leaves
	}
	want := some(1_000)
	s := newList(want)
	checkList(t, &s, want)
	for range 1_000 {
		first := rng.IntN(len(want))
		last := min(len(want)-1, first+rng.IntN(3))
		with := some(rng.IntN(4))
		switch {
		case rng.IntN(20) == 0:
			last = min(len(want)-1, first+rng.IntN(300))
		case len(want) < 900 && rng.IntN(10) == 0:
			with = some(rng.IntN(300))
		}
		old, before := s, want
		s, want = s.replace(first, last, with), slices.Concat(want[:first], with, want[last+1:])
		if len(want) == 0 {
			want = some(10)
			s = newList(want)
		}
		checkList(t, &s, want)
		checkList(t, &old, before)
	}
}

func checkList(t *testing.T, s *list, want []*leaf) {
	t.Helper()
	if s.leaves != len(want) {
		t.Fatalf("%d leaves, want %d", s.leaves, len(want))
	}
	if least := s.leaves/maxGroup + 1; len(s.groups) > 8*least {
		t.Fatalf("%d groups of %d leaves", len(s.groups), s.leaves)
	}
	at, before := 0, 0
	for i, l := range want {
		place := placed{at, before, l}
		if got := s.leaf(i); got != place {
			t.Fatalf("leaf %d is %v, want %v", i, got, place)
		}
		if s.find(at) != i || s.find(at+len(l.text)-1) != i || s.byByte(at) != place || s.byToken(before) != place || s.byToken(before+l.tokens-1) != place {
			t.Fatalf("leaf %d at %d with %d tokens before it is not found there", i, at, before)
		}
		at += len(l.text)
		before += l.tokens
	}
	if s.size != at || s.tokens != before || s.find(at) != len(want)-1 {
		t.Fatalf("%d bytes, %d tokens, want %d, %d", s.size, s.tokens, at, before)
	}
	for _, g := range s.groups {
		if len(g.leaves) == 0 || len(g.leaves) > maxGroup {
			t.Fatalf("a group of %d leaves", len(g.leaves))
		}
	}
}
