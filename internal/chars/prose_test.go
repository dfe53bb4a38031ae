package chars

import "testing"

// TestProseHasWhatThereIsToSay, and nothing of the rest.
func TestProseHasWhatThereIsToSay(t *testing.T) {
	var b Prose
	b.Say("a")
	b.SayIf(false, ", b %d", 1)
	b.Say(", c %d", 2)
	if got := b.String(); got != "a, c 2" {
		t.Errorf("%q", got)
	}
}
