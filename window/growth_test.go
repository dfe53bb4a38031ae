package window

import (
	"math"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestARequestTellsOfTheStepBeforeIt: how entries between two requests were counted follows from what the second is larger by,
// where nothing else came or went.
func TestARequestTellsOfTheStepBeforeIt(t *testing.T) {
	const first, content = 10_000, 1_000
	plain := sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleTool, Tokens: content}
	with := func(change func(e *sessions.Entry)) sessions.Entry {
		e := plain
		change(&e)
		return e
	}
	for _, c := range []struct {
		name string
		step sessions.Entry
		grew int
		told bool
	}{
		{"what usually comes", plain, 1_200, true},
		{"the least that is believed", plain, 750, true},
		{"less: something went", plain, 749, false},
		{"the most", plain, 1_750, true},
		{"more: something came that is not recorded", plain, 1_760, false},
		{"reasoning in it", with(func(e *sessions.Entry) { e.Thoughts = true }), 1_300, true},
		{"so much that it is the reasoning's", with(func(e *sessions.Entry) { e.Thoughts = true }), 1_310, false},
		{"the request became smaller", plain, -5_000, false},
		{"a number that no request has", plain, math.MaxInt64 / 2, false},
		{"the host has gone back", sessions.Entry{Kind: sessions.KindRewind}, 1_200, false},
		{"the host has cleared results", sessions.Entry{Kind: sessions.KindNote, Cleared: []sessions.Cleared{{}}},
			1_200, false},
		{"a subagent's words", with(func(e *sessions.Entry) { e.Author = "a" }), 1_200, false},
	} {
		answer := func(prompt int) sessions.Entry {
			return sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleAssistant,
				Usage: &sessions.Usage{Input: int64(prompt)}}
		}
		g := NewGrowth(tokens.Scaled)
		g.Follow([]sessions.Entry{answer(first), c.step})
		g.Follow([]sessions.Entry{answer(first), c.step, answer(first + c.grew)})
		want := 0
		if c.told {
			want = c.grew * tokens.Scaled / content
		}
		if got := g.Of(2); got != want || g.Of(3) != 0 || g.Of(9) != 0 {
			t.Errorf("%s: counted at %d, want %d", c.name, got, want)
		}
	}
}
