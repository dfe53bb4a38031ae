package resume

import (
	"strings"
	"testing"

	"ctxledger.dev/tokens"
)

// TestWhatTheNewSessionHoldsIsSaid: of a session whose beginning is not recorded, the new one was said to have that beginning
// (issue 46).
func TestWhatTheNewSessionHoldsIsSaid(t *testing.T) {
	fixed := &tokens.Count{N: 39_095}
	for _, c := range []struct {
		Written
		want string
	}{
		{Written{Fixed: fixed, besides: "system prompt, tools and memory files"}, "of these ≈39,095 are system prompt, tools and memory files\n"},
		{Written{Fixed: fixed, besides: "earlier conversation, not recorded", midway: true},
			"the first figure has ≈39,095 of earlier conversation, not recorded; the second has neither that nor system prompt and tools\n"},
		{Written{Fixed: fixed, besides: "system prompt", Masked: true, midway: true, Agent: "codex"},
			"the first figure has the old agent's system prompt (≈39,095); the second has none of codex's\n"},
		{Written{}, "kept word for word\nfile "},
	} {
		if got := c.Text("/"); !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
