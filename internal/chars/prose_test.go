package chars

import "testing"

// TestProseHasWhatThereIsToSay, and nothing of the rest.
func TestProseHasWhatThereIsToSay(t *testing.T) {
	var b Prose
	b.Add(true, "a")
	b.Add(false, ", b %d", 1)
	b.Add(true, ", c %d", 2)
	if got := b.String(); got != "a, c 2" {
		t.Errorf("%q", got)
	}
}
