package live

import (
	"testing"

	"ctxledger.dev/changes"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TestADeletionIsAnotherState: a finding on a file that was changed, and then deleted, went on to say that it was changed,
// since what is known of the file had not changed for the editor.
func TestADeletionIsAnotherState(t *testing.T) {
	r := newReader(sessions.Session{})
	state := func(s changes.Stale) File {
		r.known = ledger.ChangesResponse{Stale: []changes.Stale{s}}
		return r.snapshot(tokens.Scale{})["a.go"]
	}
	changed := state(changes.Stale{Path: "a.go", By: changes.External})
	deleted := state(changes.Stale{Path: "a.go", By: changes.External, Gone: true})
	if changed == deleted || !deleted.Gone || !deleted.Held() || deleted.Knew() != "wrote" {
		t.Errorf("changed: %+v, deleted: %+v", changed, deleted)
	}
}
