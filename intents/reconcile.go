package intents

import "ctxledger.dev/kv"

// Evidence is what a look at the file that a pending call acts on found.
type Evidence struct {
	Exists bool
	Hash   string // SHA-256 of the content; "" when it could not be had
}

// Conclude says from the disk what became of a pending call: applied when the file is not as it was
// before the call, retryable when it is. It is Pending where the disk cannot tell: for commands, and
// where the content before or after is not known.
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

// Reconcile records what was concluded of a pending intent. It has no time of finishing: nobody saw it.
func Reconcile(tx kv.Tx, in Intent, s Status) error {
	in.Status, in.Reconciled = s, true
	return save(tx, key(in), in)
}

// SetPreHash records what the file was like before the call.
func SetPreHash(tx kv.Tx, in Intent, hash string) error {
	in.PreHash = hash
	return save(tx, key(in), in)
}
