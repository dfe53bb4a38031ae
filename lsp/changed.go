package lsp

// changedMethod is a notification of ours: what the ledger holds may have changed. It is sent to clients
// whose settings ask for the status.
const changedMethod = "ctxledger/changed"

// tellChanged says that what the ledger holds may have changed, if that is wanted.
func (t *teller) tellChanged() {
	if !t.known().settings.Status {
		return
	}
	if err := t.conn.Notify(t.life, changedMethod, struct{}{}); err != nil {
		t.o.Log.Warn("changed", "why", err.Error())
	}
}
