package compaction

import (
	"strings"
	"testing"
)

// TestASmallGainIsNotCompacted: what nothing but a request asks for has to be worth it, unless the request says what stays.
func TestASmallGainIsNotCompacted(t *testing.T) {
	small := func() *talk {
		k := newTalk(t)
		k.user("q")
		k.read("a.go", 1_200)
		k.user("next")
		k.read("b.go", 20_000)
		return k
	}
	large, tight := newTalk(t), small()
	large.user("q")
	large.read("a.go", 20_000)
	large.user("next")
	large.read("b.go", 9_000)
	tight.in.Effective = 15_000
	for _, c := range []struct {
		name string
		k    *talk
		o    Options
		want Outcome
	}{
		{"a person asks", small(), Options{Reason: Manual}, NothingToDo},
		{"an agent asks, with a length for the summary", small(), Options{Reason: AgentRequested, Budget: 2_000},
			NothingToDo},
		{"a model is to write", small(), Options{Reason: Manual, Mode: LLM}, NothingToDo},
		{"the person says how many turns stay", small(), Options{Reason: Manual, Keep: 1}, Compacted},
		{"it is due", small(), Options{Reason: "window_size"}, Compacted},
		{"the view does not fit", tight, Options{Reason: Manual}, Compacted},
		{"the gain is large", large, Options{Reason: Manual}, Compacted},
	} {
		p, err := Plan(c.k.in, c.o)
		if err != nil || p.Outcome != c.want {
			t.Errorf("%s: %s, %s, %v", c.name, p.Outcome, p.Why, err)
		}
		const out = " tokens, less than 10%; to compact it anyway, say how many turns to keep (--keep or keep_turns)"
		if p.Outcome == NothingToDo && (!strings.Contains(p.Why, out) || p.Brief != nil) {
			t.Errorf("%s: %q, brief %v", c.name, p.Why, p.Brief != nil)
		}
	}
}
