package hook

import "testing"

// TestACompactionLosesNoCommandThatHasEnded: whose result the session file has only later.
func TestACompactionLosesNoCommandThatHasEnded(t *testing.T) {
	document := "[UNRESOLVED FAILURES]\n  - INTERRUPTED or still running: go test (turn 2)\n" +
		"  - INTERRUPTED: edit of a.go (turn 2)\nrest"
	want := "[UNRESOLVED FAILURES]\n  - INTERRUPTED: edit of a.go (turn 2)\nrest"
	if got := ended(document); got != want {
		t.Errorf("%q", got)
	}
}
