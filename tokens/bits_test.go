package tokens

import (
	"math/rand/v2"
	"testing"
)

func (s bitset) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Slices of bool are the reference.
func TestBitsetIsASetOfNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 2_000 {
		n := 1 + rng.IntN(300)
		s, want := newBitset(n), make([]bool, n)
		for range rng.IntN(20) {
			from := rng.IntN(n)
			to := from + rng.IntN(min(n-from, 90)+1)
			members := rng.IntN(3) > 0
			s.fill(from, to, members)
			for i := from; i < to; i++ {
				want[i] = members
			}
			if from < to {
				last := 1 + rng.IntN(to-from)
				s.fillLast(from, to, last)
				for i := from; i < to; i++ {
					want[i] = i >= to-last
				}
			}
			i := rng.IntN(n)
			s.add(i)
			want[i] = true
		}
		from := rng.IntN(n)
		checkBitset(t, s, want, from, from+rng.IntN(n-from+1))
	}
}

func checkBitset(t *testing.T, s bitset, want []bool, from, to int) {
	t.Helper()
	count, first, last := 0, -1, -1
	for i := from; i < to; i++ {
		if s.has(i) != want[i] {
			t.Fatalf("%d is a member: %v", i, s.has(i))
		}
		if want[i] {
			count++
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if s.count(from, to) != count || s.after(from, to) != first || s.before(from, to) != last {
		t.Fatalf("from %d to %d: %d members, first %d, last %d; want %d, %d, %d",
			from, to, s.count(from, to), s.after(from, to), s.before(from, to), count, first, last)
	}
	if first >= 0 && s.nth(s.count(0, first)) != first {
		t.Fatalf("member %d is %d, want %d", s.count(0, first), s.nth(s.count(0, first)), first)
	}
	if s.nth(s.count(0, len(want))) != -1 {
		t.Fatal("there is a member beyond the last")
	}
	shifted := newBitset(len(want) + 100)
	shifted.copy(77, s, from, to)
	for i := range len(want) {
		if from <= i && i < to && shifted.has(77+i-from) != want[i] {
			t.Fatalf("%d is copied wrong", i)
		}
	}
	if shifted.count(0, len(want)+100) != count {
		t.Fatalf("%d members copied, want %d", shifted.count(0, len(want)+100), count)
	}
}
