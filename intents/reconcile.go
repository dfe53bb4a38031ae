package intents

import "ctxledger.dev/kv"

// Evidence is the state of the file that a pending call acts on.
type Evidence struct {
	Exists bool
	Hash   string // SHA-256 of the content; "" when it could not be had
}

// Conclude concludes the outcome of a pending call from the file: applied if the file differs from before the call,
// retryable if it does not. It is Pending for commands, and if the content before or after is unknown.
func (in Intent) Conclude(e Evidence) Status {
	now := e.Hash
	if !e.Exists {
		now = Absent
	}
	untouched := now != "" && now == in.PreHash
	switch in.Op {
	case OpDelete, OpMove:
		switch {
		case !e.Exists:
			return Applied
		case untouched:
			return Retryable
		}
	case OpWrite, OpPatch, OpCopy:
		switch {
		case untouched:
			return Retryable
		case now != "" && in.PreHash != "":
			return Applied
		}
	}
	return Pending
}

// Reconcile records the conclusion about a pending intent. The time of its end is unknown and stays empty.
func Reconcile(tx kv.Tx, in Intent, s Status) error {
	in.Status, in.Reconciled = s, true
	return save(tx, key(in), in)
}

// SetPreHash records what the file was like before the call.
func SetPreHash(tx kv.Tx, in Intent, hash string) error {
	in.PreHash = hash
	return save(tx, key(in), in)
}
