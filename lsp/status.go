package lsp

import (
	"encoding/json"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/report"
	"ctxledger.dev/tokens"
)

// status is a custom notification about the session of the workspace that is followed, for a status bar. It is
// sent on changes to clients whose settings ask for it.
const statusMethod = "ctxledger/status"

// Status is the parameters of statusMethod.
type Status struct {
	Folder  string       `json:"folder"`  // of the client, by its URI; "": none is open
	Session string       `json:"session"` // "": none
	Title   string       `json:"title"`   // of the session, secrets masked
	Model   string       `json:"model"`
	Held    tokens.Count `json:"held"` // by the agent's window: see ledger.Use
	// Besides says what that window has besides Held, of which nothing was measured; "": nothing.
	Besides string `json:"besides"`
	Window  int    `json:"window"` // of the model, in tokens; 0: unknown
	// WindowFrom says in words what Window rests on.
	WindowFrom string `json:"windowFrom"`
	// CompactsAt is where the session's host compacts automatically, 0: not known or never, and CompactsFrom says in words what
	// that rests on; "": nothing is known.
	CompactsAt   int    `json:"compactsAt"`
	CompactsFrom string `json:"compactsFrom"`
	Cost         string `json:"cost"` // so far, in words; "": not known
	// Updated is when it was last active, in milliseconds since 1970; without activity for ten minutes it is idle.
	Updated int64        `json:"updated"`
	Others  []live.Other `json:"others"`  // sessions that are live beside it, the fullest first
	Pinned  bool         `json:"pinned"`  // the user chose it
	Near    bool         `json:"near"`    // it works in a terminal of the editor's window
	Warning string       `json:"warning"` // about its input, in a sentence; "": none
	// FollowOff says that the configuration keeps session files from being read, and how to change that; "": they are.
	FollowOff string `json:"followOff"`
	// Problem says in one line why there is no data or which setting is wrong, Hint what to do. Everything else works.
	Problem string `json:"problem"`
	Hint    string `json:"hint"`
}

// sendStatus sends the status of a folder if the settings ask for it and it has changed.
func (n *notifier) sendStatus(f *folder) {
	k := f.snapshot()
	if f.early.Err() == nil {
		return // see tellFirst
	}
	if !k.settings.Status {
		delete(n.statuses, f) // sent again once it is enabled again
		return
	}
	raw, err := json.Marshal(f.status(k))
	if err == nil && n.statuses[f] != string(raw) {
		n.statuses[f] = string(raw)
		err = n.conn.Notify(n.life, statusMethod, jsonrpc2.RawMessage(raw))
	}
	if err != nil {
		n.o.Log.Warn("status", "why", err.Error())
	}
}

// status returns what a status bar says of the folder.
func (s *folder) status(k snapshot) Status {
	l := k.live
	problem, hint := l.Problem, l.Hint
	if problem == "" && k.wrong != nil {
		problem, hint = k.wrong.Error(), "fix that ctxledger setting; the others apply"
	}
	if problem == "" {
		problem, hint = k.configured.Problem, k.configured.Hint
	}
	besides := l.Use.Besides()
	if l.Session == "" {
		l.Model, besides = "", "" // that only texts are counted for
	}
	others := make([]live.Other, 0, len(l.Others))
	for _, o := range l.Others {
		o.Title, o.Model = plainLine(chars.Title(o.Title)), plainLine(o.Model)
		others = append(others, o)
	}
	return Status{
		Folder: s.name(), Session: l.Session, Title: plainLine(chars.Title(l.Title)), Model: plainLine(l.Model),
		Held: l.Held, Besides: besides, Window: l.Window, WindowFrom: plainLine(l.WindowFrom),
		CompactsAt: l.CompactsAt, CompactsFrom: plainLine(l.CompactsFrom),
		Cost:    plainLine(costOf(l.Use)),
		Updated: milliseconds(l.Updated), Others: others, Pinned: k.pinned != "" && l.Session == k.pinned, Near: l.Near,
		Warning: plainLine(l.Warning), FollowOff: k.configured.notFollowed(),
		Problem: chars.Line(s.sanitize(problem)), Hint: chars.Line(s.sanitize(hint)),
	}
}

// costOf says what a session cost so far, and what that lacks; "": not known.
func costOf(u ledger.Use) string {
	return strings.TrimPrefix(u.Cost.Words()+unfinishedOf(u), "; ")
}

// unfinishedOf says what the cost of a session lacks; "": nothing.
func unfinishedOf(u ledger.Use) string {
	if u.Unfinished == nil {
		return ""
	}
	return "; " + report.Unfinished(*u.Unfinished).String()
}

// milliseconds are those since 1970; 0 for no time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// changed is a custom notification: the content of the ledger may have changed. It is sent to clients whose
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
