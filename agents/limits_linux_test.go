package agents

import (
	"testing"

	"ctxledger.dev/internal/limittest"
)

// TestSessionsAreFollowedWithoutEvents: what is recorded does not depend on them.
func TestSessionsAreFollowedWithoutEvents(t *testing.T) {
	for _, limit := range []string{limittest.Instances, limittest.Watches} {
		limittest.Again(t, limit, "^(TestFollow.*|TestSessionsOf.*|TestATorn.*|TestAWorktree.*|TestAWritten.*|TestOldFiles.*)$")
	}
}
