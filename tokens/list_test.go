package tokens

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The leaves of the test have texts and tokens of any number; a slice is the reference.
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
		from, to := sizeOf(want[:first]), sizeOf(want[:last+1])
		s, want = s.replace(from, to, with), slices.Concat(want[:first], with, want[last+1:])
		if len(want) == 0 {
			want = some(10)
			s = newList(want)
		}
		checkList(t, &s, want)
		checkList(t, &old, before)
	}
}

func sizeOf(leaves []*leaf) (size int) {
	for _, l := range leaves {
		size += len(l.text)
	}
	return size
}

func TestNodesThatShrinkGoTogether(t *testing.T) {
	var leaves []*leaf
	for range 4_000 {
		leaves = append(leaves, &leaf{text: []byte("x"), tokens: 1})
	}
	s := newList(leaves)
	for i := 0; i < s.size; i++ { // keep one of each twenty
		for range min(19, s.size-i) {
			s = s.replace(i, i+1, nil)
		}
	}
	if nodes := s.checkItem(t, s.depth); nodes > s.size/(minItems-1)+s.depth+1 {
		t.Errorf("%d nodes for %d leaves", nodes, s.size)
	}
}

func checkList(t *testing.T, s *list, want []*leaf) {
	t.Helper()
	at, before := 0, 0
	for i, l := range want {
		place := placed{at, before, l}
		if s.byByte(at) != place || s.byByte(at+len(l.text)-1) != place || s.byToken(before) != place ||
			s.byToken(before+l.tokens-1) != place {
			t.Fatalf("leaf %d at %d with %d tokens before it is not found there", i, at, before)
		}
		at += len(l.text)
		before += l.tokens
	}
	if s.size != at || s.tokens != before || s.byByte(at).end() != at {
		t.Fatalf("%d bytes, %d tokens, want %d, %d", s.size, s.tokens, at, before)
	}
	if nodes := s.checkItem(t, s.depth); nodes > len(want)/(minItems-1)+s.depth+1 {
		t.Fatalf("%d nodes for %d leaves", nodes, len(want))
	}
}

// checkItem checks an item with its leaves at a depth and returns the number of nodes in it.
func (i *item) checkItem(t *testing.T, depth int) (nodes int) {
	t.Helper()
	if i.node == nil {
		if depth != 0 || i.size != len(i.leaf.text) || i.tokens != i.leaf.tokens {
			t.Fatalf("a leaf %d levels too high is said to have %d bytes and %d tokens", depth, i.size, i.tokens)
		}
		return 0
	}
	size, tokens, nodes := 0, 0, 1
	for k := range i.node.items {
		below := &i.node.items[k]
		nodes += below.checkItem(t, depth-1)
		size += below.size
		tokens += below.tokens
	}
	if n := len(i.node.items); n == 0 || n > maxItems || size != i.size || tokens != i.tokens {
		t.Fatalf("a node of %d items with %d bytes and %d tokens is said to have %d and %d", n, size, tokens,
			i.size, i.tokens)
	}
	return nodes
}

// leaves returns all leaves of a list.
func (s *list) leaves() (all []placed) {
	for at := 0; at < s.size; at = all[len(all)-1].end() {
		all = append(all, s.byByte(at))
	}
	return all
}
