package lsp

import "time"

// changedMethod is a custom notification: the content of the ledger may have changed. It is sent to clients whose
// settings ask for the status.
const changedMethod = "ctxledger/changed"

// changedPause is the shortest time between two of them, because clients reload everything that they show.
const changedPause = 200 * time.Millisecond

// sendChanged sends changedMethod if the settings ask for it: at once, or when the pause after the last one is over.
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
