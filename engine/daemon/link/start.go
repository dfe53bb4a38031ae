package link

import "ctxledger.dev/kv/held"

// Start starts the daemon of a ledger without waiting for it, unless a process owns the ledger. It is for callers
// that cannot wait, whose next call finds it. Errors: unavailable when the program cannot be run; what the daemon itself
// reports is the next call's failure.
func Start(o Options) error {
	lock, free := lockDir(o.State) // of several callers one starts it
	if !free {
		return nil
	}
	if lock != nil {
		defer lock.Close() // opened only for its lock
	}
	if held.Held(o.State) {
		return nil
	}
	s, err := spawn(o)
	if err != nil {
		return err
	}
	s.abandon()
	return nil
}
