package lsp

import "time"

// changedMethod is a notification of ours: what the ledger holds may have changed. It is sent to clients
// whose settings ask for the status.
const changedMethod = "ctxledger/changed"

// changedPause is the shortest time between two of them: who is told asks for all that is shown of the ledger.
const changedPause = 200 * time.Millisecond

// tellChanged says that what the ledger holds may have changed, if that is wanted: at once after a pause, else when
// the pause is over.
func (n *notifier) sendChanged() {
	if !n.changed || n.holdOff != nil {
		return
	}
	n.changed, n.holdOff = false, time.After(changedPause)
	if !n.snapshot().settings.Status {
		return
	}
	if err := n.conn.Notify(n.life, changedMethod, struct{}{}); err != nil {
		n.o.Log.Warn("changed", "why", err.Error())
	}
}
