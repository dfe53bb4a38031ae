package lsp

import (
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// statusMethod is a custom notification about the session of the workspace that is followed, for a status bar. It is
// sent on changes to clients whose settings ask for it.
const statusMethod = "ctxledger/status"

// Status is the parameters of statusMethod.
type Status struct {
	Session string       `json:"session"` // "": none
	Title   string       `json:"title"`   // of the session, secrets masked
	Model   string       `json:"model"`
	Held    tokens.Count `json:"held"`   // by the agent's window: see ledger.Use
	Window  int          `json:"window"` // of the model, in tokens; 0: unknown
	// WindowFrom says in words what Window rests on.
	WindowFrom string `json:"windowFrom"`
	// CompactsAt is what the window held when the session's host compacted by itself, the last time; 0: not known.
	CompactsAt int `json:"compactsAt"`
	// Updated is when it was last active, in milliseconds since 1970; without activity for ten minutes it is idle.
	Updated int64 `json:"updated"`
	Others  int   `json:"others"` // sessions that are live beside it
	Pinned  bool  `json:"pinned"` // the user chose it
	Near    bool  `json:"near"`   // it works in a terminal of the editor's window
	// Problem says in one line why there is no data or which setting is wrong, Hint what to do. Everything else works.
	Problem string `json:"problem"`
	Hint    string `json:"hint"`
}

// sendStatus sends the status if the settings ask for it and it has changed.
func (n *notifier) sendStatus() {
	k := n.snapshot()
	l := k.live
	problem, hint := l.Problem, l.Hint
	if problem == "" && k.wrong != nil {
		problem, hint = k.wrong.Error(), "correct that setting of ctxledger; the others apply"
	}
	if problem == "" {
		problem, hint = k.configured.Problem, k.configured.Hint
	}
	st := Status{
		l.Session, plainLine(l.Title), plainLine(l.Model), l.Held, l.Window, plainLine(l.WindowFrom), l.CompactsAt,
		milliseconds(l.Updated), l.Others, k.pinned != "" && l.Session == k.pinned, l.Near,
		chars.Line(n.sanitize(problem)), chars.Line(n.sanitize(hint)),
	}
	if !k.settings.Status {
		n.status = Status{} // sent again once it is enabled again
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

// milliseconds are those since 1970; 0 for no time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
