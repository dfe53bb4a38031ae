package compaction

import (
	"strings"
	"testing"

	"ctxledger.dev/compaction/settings"
)

// TestKeepRule plans a compaction of a conversation and looks at the items that stay verbatim.
func TestKeepRule(t *testing.T) {
	turns := func(k *talk) { // 30 of two items
		for range 30 {
			k.user("q")
			k.say("a")
		}
	}
	reads := func(tokens ...int) func(*talk) { // one turn, two items a read
		return func(k *talk) {
			k.user("q")
			for _, n := range tokens {
				k.read("f.go", n)
			}
		}
	}
	many := make([]int, 50) // 1,000 tokens each with its call
	for i := range many {
		many[i] = 970
	}
	for _, c := range []struct {
		name  string
		keep  settings.Keep
		talk  func(*talk)
		items int
	}{
		{"ten short turns", settings.Keep{}, turns, 20},
		{"6,000 tokens, in the middle of a turn", settings.Keep{}, reads(many...), 12},
		{"the last unit, however large", settings.Keep{}, reads(10_000, 90_000), 2},
		{"as many turns as are set", settings.Keep{Turns: 3, Tokens: 6_000}, turns, 6},
		{"as many tokens as are set", settings.Keep{Turns: 10, Tokens: 20_000}, reads(many...), 40},
		{"no bound on tokens", settings.Keep{Turns: 2}, turns, 4},
		{"no bound on turns", settings.Keep{Tokens: 6_000}, reads(many...), 12},
		{"so many messages at least", settings.Keep{Turns: 3, Tokens: 6_000, Messages: 9}, turns, 9},
		{"messages above the tokens", settings.Keep{Turns: 10, Tokens: 6_000, Messages: 20}, reads(many...), 20},
		{"a call stays with its result", settings.Keep{Turns: 10, Tokens: 6_000, Messages: 19}, reads(many...), 20},
		{"messages alone", settings.Keep{Messages: 4}, turns, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk(t)
			c.talk(k)
			k.in.Keep = c.keep
			if cut := boundary(k.in.Items, borders(k.in.Items), 0, k.in.keep()); len(k.in.Items)-cut != c.items {
				t.Errorf("%d items stay, want %d", len(k.in.Items)-cut, c.items)
			}
		})
	}
}

// TestTheKeptTokensFitTheWindow: in a small window at most half of it stays.
func TestTheKeptTokensFitTheWindow(t *testing.T) {
	k := newTalk(t)
	k.in.Window = 8_000
	if got := k.in.keep().Tokens; got != 4_000 {
		t.Errorf("%d tokens", got)
	}
	k.in.Keep = settings.Keep{Turns: 3}
	if got := k.in.keep(); got != k.in.Keep {
		t.Errorf("a rule without tokens became %s", got)
	}
}

func TestASplitTurnIsTold(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	for range 50 {
		k.read("f.go", 970)
	}
	if p := mustPlan(t, k.in, Options{}); !strings.Contains(p.Text, "The request of turn 1 is in progress") {
		t.Error("the split turn is not told")
	}
}

func TestAnUnansweredCallStaysWithItsMessage(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 9000)
	k.ask("compact_conversation", "", "")
	k.user("while it runs")
	if cut := boundary(k.in.Items, borders(k.in.Items), 0, settings.DefaultKeep.Within(10)); cut != 3 {
		t.Errorf("cut at %d: the running call would lose its result", cut)
	}
}
