package lsp

import "time"

// changedMethod is a notification of ours: what the ledger holds may have changed. It is sent to clients
// whose settings ask for the status.
const changedMethod = "ctxledger/changed"

// changedPause is the shortest time between two of them: who is told asks for all that is shown of the ledger.
const changedPause = 200 * time.Millisecond

// tellChanged says that what the ledger holds may have changed, if that is wanted: at once after a pause, else when
// the pause is over.
func (t *teller) tellChanged() {
	if !t.changed || t.resting != nil {
		return
	}
	t.changed, t.resting = false, time.After(changedPause)
	if !t.known().settings.Status {
		return
	}
	if err := t.conn.Notify(t.life, changedMethod, struct{}{}); err != nil {
		t.o.Log.Warn("changed", "why", err.Error())
	}
}
