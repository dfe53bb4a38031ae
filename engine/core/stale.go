package core

import (
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
)

// Stale says that a log went on since something was decided about it.
func Stale(s sessions.Session, position int64) error {
	return fault.New(fault.Stale, "engine.accept", "the log of session %s went on from entry %d to %d since the plan was made", s.ID, position, s.Seq).
		WithHint("plan again")
}
