package lsp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
)

// followArgument selects the session to follow.
type followArgument struct {
	Session string `json:"session"` // "": chosen by itself again
}

// choose follows the session that the user chose, until another one is chosen or the server ends.
func (s *folder) choose(ctx context.Context, which followArgument, _ protocol.ProgressToken) (any, error) {
	said := "Following the live session again."
	if which.Session != "" {
		err := s.use(ctx, func(api Ledger) error {
			session, err := api.Session(ctx, ledger.SessionRequest{Name: which.Session})
			which.Session = session.ID
			said = "Session " + session.ID + " is shown until you choose another one."
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if !s.snapshot().settings.Live {
		said = "No session is followed, because the setting " + section + ".live is off: " +
			"once it is on, your choice takes effect."
	}
	s.update(func(k *snapshot) { k.pinned = which.Session })
	s.follow()
	return done{Said: said}, nil
}

// session finds the session that a request names; "" is the one that is followed, else the newest.
func (s *folder) session(ctx context.Context, api Ledger, name string) (sessions.Session, error) {
	if name != "" {
		return api.Session(ctx, ledger.SessionRequest{Name: name})
	}
	if followed := s.snapshot().live.Session; followed != "" {
		session, err := api.Session(ctx, ledger.SessionRequest{Name: followed})
		if !fault.Is(err, fault.NotFound) {
			return session, err
		}
	}
	session, err := api.Session(ctx, ledger.SessionRequest{Latest: true})
	if fault.Is(err, fault.NotFound) {
		if off := s.snapshot().configured.notFollowed(); off != "" {
			return session, fault.New(fault.NotFound, "lsp.session", "no session is recorded here: %s", off)
		}
		err = fault.New(fault.NotFound, "lsp.session", "no session is recorded here yet").
			WithHint("*Read Past Sessions* reads those that coding agents left in this folder")
	}
	return session, err
}

// handoffArgument selects the session to hand on.
type handoffArgument struct {
	Session string `json:"session"` // "": the one that is followed, else the newest
}

// handedOff is a text for another chat.
type handedOff struct {
	done
	Text string `json:"text"`
}

// handoff returns the document of a session for a new chat. The ledger does not change.
func (s *folder) handoff(ctx context.Context, which handoffArgument, _ protocol.ProgressToken) (any, error) {
	var out handedOff
	err := s.use(ctx, func(api Ledger) error {
		session, err := s.session(ctx, api, which.Session)
		if err != nil {
			return err
		}
		record, err := ledger.SummaryOfAll(ctx, api, session, 0)
		if err == nil && record == "" {
			err = fault.New(fault.NotFound, "lsp.handoff", "session %s has no messages to pass on", session.ID)
		}
		if err != nil {
			return err
		}
		out.Said = "Copied: paste it into a new chat."
		out.Text, err = ledger.Handoff(ctx, api, ledger.SourceOf(session), record, "read_artifact")
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// windowArgument says which window a model has.
type windowArgument struct {
	Model     string `json:"model"`
	Tokens    int    `json:"tokens"`
	Automatic bool   `json:"automatic"` // no window is set any more
}

// setWindow writes the window of a model into the user's own configuration, or takes it out: the user chose it. What is shown follows
// once that file is read again.
func (s *folder) setWindow(_ context.Context, said windowArgument, _ protocol.ProgressToken) (any, error) {
	if said.Automatic {
		return s.clearWindow(said)
	}
	file, err := config.SetWindow(s.o.Env, s.workspace.Root, said.Model, said.Tokens)
	if err != nil {
		return nil, err
	}
	return done{
		Said: fmt.Sprintf("The window of %s is set to %s tokens in all workspaces.", plainLine(said.Model),
			chars.Commas(said.Tokens)),
		URI: string(uri.File(file)),
	}, nil
}

// readPast records sessions that agents left in the workspace, with progress: a person asked. It can be cancelled by its
// request or its progress, and keeps what it has read by then.
func (s *folder) readPast(ctx context.Context, r *protocol.ExecuteCommandParams) (any, error) {
	if s.workspace.Past == nil {
		return nil, fault.New(fault.Unavailable, "lsp.past", "no open folder has readable sessions")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var past Past
	err := s.modified(s.record(ctx, func(api Ledger) (err error) {
		var done, total atomic.Int64
		p := s.progress(ctx, r.WorkDoneToken, "reading past sessions", true, cancel)
		defer p.end()
		defer p.follow(ctx, &done, &total)()
		past, err = s.workspace.Past(ctx, api, func(n, of int64) { done.Store(n); total.Store(of) })
		return err
	}))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // whatever error the ledger returned
	}
	if err != nil {
		return nil, err
	}
	return done{Said: past.said(s.snapshot().configured.notFollowed())}, nil
}

// said describes the past sessions that were recorded in one line. off says which setting keeps sessions from being
// read.
func (p Past) said(off string) string {
	said := chars.Plural(p.Sessions, "past session") + " read."
	switch {
	case p.Sessions == 0 && off != "":
		said = "No sessions were read: " + off + "."
	case p.Sessions == 0:
		said = "There are no past sessions left to read in this folder."
	}
	if p.Failed > 0 {
		said += " " + chars.Plural(p.Failed, "file") + " could not be read: see the log of the ledger's daemon."
	}
	if p.Left > 0 {
		said += " There are older ones left: run this again to read them."
	}
	return said
}

// clearWindow is setWindow for a window that is not to be set any more.
func (s *folder) clearWindow(said windowArgument) (any, error) {
	if said.Tokens != 0 {
		return nil, fault.New(fault.Invalid, "lsp.command", "%s takes tokens or automatic, not both", commandSetWindow)
	}
	file, err := config.ClearWindow(s.o.Env, s.workspace.Root, said.Model)
	if err != nil {
		return nil, err
	}
	return done{
		Said: fmt.Sprintf("The window of %s is no longer set manually; it is detected again.",
			plainLine(said.Model)),
		URI: string(uri.File(file)),
	}, nil
}

// audited is what past sessions cost, and which habits cost most.
type audited struct {
	Sessions int     `json:"sessions"`
	Said     string  `json:"said"`             // what all of them cost, in one line
	Habits   []habit `json:"habits,omitempty"` // the most expensive first
}

// habit is a way of working that made requests larger.
type habit struct {
	Cost   string `json:"cost"`
	Tokens string `json:"tokens"` // that Cost is for, with each request that carried them; "": Cost says it
	Name   string `json:"name"`
	Advice string `json:"advice"` // what to do about it
}

// audit reads the session files of the user's agents, with progress, and says what the sessions cost. It can be cancelled
// by its request or its progress.
func (s *Server) audit(ctx context.Context, r *protocol.ExecuteCommandParams) (any, error) {
	if s.o.Audit == nil {
		return nil, fault.New(fault.Unavailable, "lsp.audit", "no agent has readable sessions")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var done, total atomic.Int64
	p := s.progress(ctx, r.WorkDoneToken, "reading past sessions", true, cancel)
	defer p.end()
	defer p.follow(ctx, &done, &total)()
	audit, err := s.o.Audit(ctx, s.snapshot().configured.Models, func(n int64) { total.Add(n) },
		func(n int64) { done.Add(n) })
	if err != nil {
		return nil, err
	}
	return auditedOf(audit), nil
}

func auditedOf(r report.Report) audited {
	if r.Sessions == 0 {
		return audited{Said: "There are no session files of coding agents on this machine."}
	}
	said := chars.Plural(r.Sessions, "session") + " on this machine"
	if n := r.Total.Requests; n > 0 {
		said += ", " + chars.Plural(n, "request")
	}
	said += ": " + cmp.Or(r.Total.Cost(), "nothing was measured")
	if !r.From.IsZero() {
		said = "Since " + r.From.Format(time.DateOnly) + ", " + said
	}
	out := audited{Sessions: r.Sessions, Said: said + "."}
	for _, h := range r.Habits {
		advice := strings.Replace(h.Advice, report.ListsParts, "the In Every Request view lists", 1)
		one := habit{Cost: h.Cost(), Name: h.Name, Advice: advice}
		if h.Dollars > 0 {
			one.Tokens = "≈" + report.Magnitude(h.Sent)
		}
		out.Habits = append(out.Habits, one)
	}
	return out
}
