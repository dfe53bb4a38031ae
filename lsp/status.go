package lsp

import (
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// statusMethod is a notification of ours: what the live session of the workspace is, for a status bar.
// It is sent to clients whose settings ask for it, when it changes.
const statusMethod = "ctxledger/status"

// Status is what statusMethod says.
type Status struct {
	Session string       `json:"session"` // "": none lives
	Title   string       `json:"title"`   // of the session, secrets masked
	Model   string       `json:"model"`
	Held    tokens.Count `json:"held"`   // by its agent's window: see engine.Use
	Window  int          `json:"window"` // of the model, in tokens; 0: unknown
	// Problem says in a line why nothing is known, or not what was configured, Hint what to do about it, both as errors are told. Everything else works meanwhile.
	Problem string `json:"problem"`
	Hint    string `json:"hint"`
}

// tellStatus sends the status, if it is wanted and new.
func (n *notifier) sendStatus() {
	k := n.snapshot()
	l := k.live
	problem, hint := l.Problem, l.Hint
	if problem == "" && k.wrong != nil {
		problem, hint = k.wrong.Error(), "correct that setting of ctxledger; the others count"
	}
	if problem == "" {
		problem, hint = n.workspace.Problem, n.workspace.Hint
	}
	st := Status{l.Session, plainLine(l.Title), plainLine(l.Model), l.Held, l.Window, chars.Line(n.sanitize(problem)), chars.Line(n.sanitize(hint))}
	if !k.settings.Status {
		n.status = Status{} // what is wanted again is news again
		return
	}
	if st == n.status {
		return
	}
	n.status = st
	if err := n.conn.Notify(n.life, statusMethod, st); err != nil {
		n.o.Log.Warn("status", "why", err.Error())
	}
}
