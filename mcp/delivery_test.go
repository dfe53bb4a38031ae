package mcp

import (
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

// The answer says what a compaction will do to this chat: nothing, unless a proxy sends its view.
func TestTheAnswerSaysWhetherTheNextRequestIsTheCompactedOne(t *testing.T) {
	for _, reduces := range []bool{false, true} {
		f := newFixture(t, nil)
		c := connect(t, f.Server, "tester")
		session := f.shop(t)
		s, err := f.local.Session(t.Context(), ledger.SessionRequest{Name: session})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.local.NoteRequest(t.Context(), ledger.NoteRequestRequest{
			LiveSession: ledger.LiveSession{Host: s.Host, HostID: s.HostID, Dir: s.Dir},
			Request: ledger.ModelRequest{Dialect: "anthropic", Model: s.Model, Status: 200, At: testEnv().Now(),
				Reduces: reduces}}); err != nil {
			t.Fatal(err)
		}
		r, _ := do[compactResult](t, c, "compact_conversation", args{"session": session, "keep_turns": 1,
			"return": "receipt"})
		if r.Status != statusCompacted || strings.HasPrefix(r.Delivery, "from its next request on") != reduces ||
			strings.HasPrefix(r.Delivery, "this chat itself stays") == reduces {
			t.Errorf("with a proxy %t: %+v", reduces, r)
		}
	}
}

// A client that replays is warned, once, that an automatic compaction may come elsewhere.
func TestAReplayIsWarnedOfAutomaticCompaction(t *testing.T) {
	c := connect(t, newFixture(t, nil).Server, "tester")
	for _, x := range []struct {
		mode   string
		strict bool
		want   int
	}{{"auto", true, 1}, {"auto", false, 0}, {"intent", true, 0}} {
		r, _ := do[compactResult](t, c, "compact_conversation", args{"messages": talk(6), "mode": x.mode,
			"strict":     x.strict,
			"keep_turns": 1})
		if n := strings.Count(strings.Join(r.Warnings, "\n"), "strict: "); n != x.want {
			t.Errorf("%+v: %q", x, r.Warnings)
		}
	}
}
