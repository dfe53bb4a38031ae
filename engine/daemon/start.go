package daemon

import (
	"cmp"

	"ctxledger.dev/kv/bolt"
	"ctxledger.dev/workspace"
)

// StartWorkspace starts the daemon of a workspace's ledger without waiting for it, unless a process owns the ledger. It
// is for callers that cannot wait, whose next call finds it. That it cannot be started is not reported: it is the next
// call's failure.
func StartWorkspace(ws workspace.Workspace, o Options) {
	o.State, o.Workspace = ws.State, cmp.Or(ws.Main, ws.Root)
	lock, free := lockDir(o.State) // of several callers one starts it
	if !free {
		return
	}
	if lock != nil {
		defer lock.Close() // opened only for its lock
	}
	if bolt.Held(o.State) {
		return
	}
	if s, err := spawn(o); err == nil {
		s.abandon()
	}
}
