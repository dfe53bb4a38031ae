package live

import (
	"testing"
)

// A follower that is being replaced ends its wait while the next one waits, or has ended: each ends its own.
func TestAWaitEndsItselfAlone(t *testing.T) {
	var a Again
	_, endOld := a.begin(t.Context())
	waiting, endNew := a.begin(t.Context())
	if endOld() {
		t.Error("the old wait says that somebody looked")
	}
	a.Look()
	if waiting.Err() == nil {
		t.Error("the new wait goes on although somebody looked")
	}
	if !endNew() || endNew() || endOld() {
		t.Error("not exactly one wait was ended by the look")
	}
}
