package pages

import (
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// TestAWindowThatWasNotMeasuredSaysSo: a conversation of 87 tokens was told to fill 0 % of a window.
func TestAWindowThatWasNotMeasuredSaysSo(t *testing.T) {
	held := tokens.Count{N: 87, Upper: 90}
	p := Page{Line: func(text string, _ int) string { return text }}
	for _, c := range []struct {
		name string
		use  ledger.Use
		want bool
	}{
		{"nothing was measured", ledger.Use{Held: held, Window: 200_000}, true},
		{"nor is the size known", ledger.Use{Held: held}, true},
		{"an answer was measured", ledger.Use{Held: held, Window: 200_000, Measured: 80}, false},
		{"what is besides was", ledger.Use{Held: held, Window: 200_000, Fixed: &held}, false},
	} {
		got := p.heldLine(ledger.Status{Use: c.use})
		if said := strings.Contains(got, "system prompt and tools come to that, and are not measured yet"); said != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
