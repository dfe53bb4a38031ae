package core

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// repeats is how soon a stage that is told again is the same one.
const repeats = 10 * time.Second

// sameStart is how soon a session that begins again with an empty context is told of by a second hook. Hooks that are
// registered twice run at once, each for a fraction of a second.
const sameStart = 2 * time.Second

// lostStart is how long before a host hands on its summary the start of the new context was told, at most: hooks of others
// may run in between, each for so long.
const lostStart = 10 * time.Minute

// live returns the session that a hook speaks of, a new one if it is not recorded yet.
func (l *Ledger) live(tx kv.Tx, r ledger.LiveSession, tree string) (sessions.Session, error) {
	if r.Session != "" {
		return sessions.Get(tx, r.Session)
	}
	s, found, err := sessions.OfHost(tx, r.Host, r.HostID)
	if err != nil || found {
		return s, err
	}
	made := sessions.Session{Host: r.Host, HostID: r.HostID, Dir: dirOf(sessions.Session{Dir: r.Dir}), Tree: tree,
		Pending: true}
	if r.Parent != "" {
		parent, err := l.live(tx, ledger.LiveSession{Host: r.Host, HostID: r.Parent, Dir: r.Dir}, tree)
		if err != nil {
			return s, err
		}
		made.Parent = parent.ID
	}
	return sessions.Create(tx, made, r.HostID)
}

// checkLive refuses what names no session.
func checkLive(op string, r ledger.LiveSession) error {
	if r.Session != "" {
		return CheckTexts(op, Label("session", r.Session))
	}
	if r.Host == "" || r.HostID == "" {
		return fault.New(fault.Invalid, op, "a hook has to name its host and the host's id for the session")
	}
	return CheckTexts(op, Text("host", r.Host, maxHostID), Text("host's session id", r.HostID, maxHostID),
		Text("host's parent session id", r.Parent, maxHostID))
}

// hooked runs fn on the session that a hook speaks of, in one transaction, and saves the session.
func hooked[R any](ctx context.Context, l *Ledger, m Mutation, r ledger.LiveSession,
	fn func(tx kv.Tx, s *sessions.Session) (R, []ledger.Event, error)) (R, error) {
	tree := l.Trees.TreeOf(dirOf(sessions.Session{Dir: r.Dir}))
	return Mutate(ctx, l, m, func(tx kv.Tx) (R, []ledger.Event, error) {
		var none R
		s, err := l.live(tx, r, tree)
		if err != nil {
			return none, nil, err
		}
		state := sessions.Hooked{}
		if s.Hooked != nil {
			state = *s.Hooked
		}
		s.Hooked = &state
		if s.Agent == "" {
			s.Agent = CutLabel(r.Agent)
		}
		out, events, err := fn(tx, &s)
		if err != nil {
			return none, nil, err
		}
		return out, events, sessions.Save(tx, s)
	})
}

// BeginSession implements ledger.Hooks.
func (l *Ledger) BeginSession(ctx context.Context, r ledger.BeginSessionRequest) (ledger.BegunSession, error) {
	m := l.NewMutation("begin session", r.Key, r)
	m = m.Check(checkLive(m.Op, r.LiveSession))
	warm()
	return hooked(ctx, l, m, r.LiveSession,
		func(_ kv.Tx, s *sessions.Session) (ledger.BegunSession, []ledger.Event, error) {
			h := s.Hooked
			if r.Emptied && (h.EmptiedAt.IsZero() || m.At.Sub(h.EmptiedAt).Abs() >= sameStart) {
				empty(h, m.At)
				if !r.Compacted { // what a summary lost was cleared, too
					h.Owed, h.OwesRecord, h.Compacting = "", false, time.Time{}
				}
			}
			if r.Compacted && h.Owed == "" {
				h.OwesRecord = true // most hosts hand on the summary later
			}
			h.Shown = slices.DeleteFunc(slices.Clone(h.Shown), func(d string) bool { return d == sessions.Started })
			h.Ended = time.Time{}
			return ledger.BegunSession{Session: *s}, nil, nil
		})
}

// warm loads what counting needs, meanwhile: a hook does not wait so long for the first large result of a session.
var warm = sync.OnceFunc(func() { go tokens.O200kBase.CountString("a session begins") })

// empty records that the context was emptied.
func empty(h *sessions.Hooked, at time.Time) { h.Emptied, h.EmptiedAt, h.Shown = h.Emptied+1, at, nil }

// show records that a hook has put texts into the context: what it was owed is among them, or not.
func show(h *sessions.Hooked, digests []string) {
	h.Shown = slices.Clone(h.Shown)
	for _, d := range digests {
		if d == h.OwedDigest() {
			h.Owed, h.OwesRecord, h.Compacting = "", false, time.Time{}
		}
		if !slices.Contains(h.Shown, d) {
			h.Shown = append(h.Shown, d)
		}
	}
	h.Shown = h.Shown[max(0, len(h.Shown)-sessions.MaxShown):]
}

// NoteStage implements ledger.Hooks.
func (l *Ledger) NoteStage(ctx context.Context, r ledger.NoteStageRequest) (ledger.NotedStage, error) {
	m := l.NewMutation("note stage", r.Key, r)
	m = m.Check(checkLive(m.Op, r.LiveSession))
	if len(r.Digests) > sessions.MaxShown {
		m = m.Check(fault.New(fault.TooLarge, m.Op, "%d digests, more than %d", len(r.Digests), sessions.MaxShown))
	}
	if len(r.Owed) > sessions.MaxOwed {
		m = m.Check(fault.New(fault.TooLarge, m.Op, "%d bytes of text to report, more than %d", len(r.Owed),
			sessions.MaxOwed))
	}
	for _, d := range r.Digests {
		m = m.Check(CheckTexts(m.Op, Label("digest", d)))
	}
	return hooked(ctx, l, m, r.LiveSession,
		func(_ kv.Tx, s *sessions.Session) (out ledger.NotedStage, _ []ledger.Event, err error) {
			h := s.Hooked
			switch r.Stage {
			case ledger.StageCompacting:
				out.Again = !h.Compacting.IsZero() && m.At.Sub(h.Compacting).Abs() < repeats
				h.Compacting = m.At
				h.Owed, h.OwesRecord = "", false // of an earlier one, whose context is gone
			case ledger.StageCompacted:
				// The start of the context comes before this at once. Without it, it was not heard of.
				if known := env.Later(h.Compacting, m.At.Add(-lostStart)); h.EmptiedAt.Before(known) {
					empty(h, m.At)
				}
				h.Compacting = time.Time{}
				h.Owed, h.OwesRecord = l.Masks.String(r.Owed), r.Summary == nil
				if r.Summary != nil {
					known := *r.Summary
					known.Time = m.At
					h.Summary = &known
				}
			case ledger.StageShown:
				if r.Context == h.Emptied {
					show(h, r.Digests)
				}
			case ledger.StageSettled:
				for _, d := range r.Digests {
					if !slices.Contains(h.Settled, d) && len(h.Settled) < sessions.MaxSettled {
						h.Settled = append(h.Settled, d)
					}
				}
			case ledger.StageEnded:
				h.Ended = m.At
			default:
				return out, nil, fault.New(fault.Invalid, m.Op, "%.100q is not a session stage", r.Stage)
			}
			out.Session = *s
			return out, nil, nil
		})
}

// BeginCall implements ledger.Hooks.
func (l *Ledger) BeginCall(ctx context.Context, r ledger.BeginCallRequest) (ledger.BegunCall, error) {
	m := l.NewMutation("begin call", r.Key, r)
	m = m.Check(checkCall(m.Op, r.LiveSession, r.CallID))
	c := l.calledWith(r.CallID, r.Tool, r.Args)
	return hooked(ctx, l, m, r.LiveSession,
		func(tx kv.Tx, s *sessions.Session) (ledger.BegunCall, []ledger.Event, error) {
			out := ledger.BegunCall{Session: s.ID, Owes: s.Hooked.OwedDigest() != ""}
			if !c.Meaning.Tracked() {
				if h := s.Hooked; !slices.Contains(h.Calls, c.ID) { // else by a hook that is registered twice
					h.Calls = append(slices.Clone(h.Calls), c.ID)
					h.Calls = h.Calls[max(0, len(h.Calls)-sessions.MaxCalls):]
				}
				return out, nil, nil
			}
			x := attribution.NewEffects(l.Trees, tx, s, m.At)
			known, err := intents.OfCall(tx, s.ID, c.ID)
			if err != nil {
				return out, nil, err
			}
			in, err := x.Announce(c, m.At)
			if err != nil || in == nil {
				return out, nil, err
			}
			out.Intent = in
			told := known != nil && known.Source == intents.Announced // by a hook that is registered twice
			if intents.OfFile(in.Op) && in.Target != "" && !told {
				out.Stale, err = l.readBefore(tx, s, in.Target)
			}
			return out, nil, err
		})
}

// checkCall refuses what names no call of a session.
func checkCall(op string, s ledger.LiveSession, callID string) error {
	if err := checkLive(op, s); err != nil {
		return err
	}
	if callID == "" {
		return fault.New(fault.Invalid, op, "a call needs an id")
	}
	return CheckTexts(op, Label("call id", callID))
}

// calledWith describes a call, and with secrets masked what records may contain of it.
func (l *Ledger) calledWith(id, tool string, args json.RawMessage) attribution.Call {
	shown := MaskMessage(l.Masks, transcript.Message{Role: transcript.RoleAssistant, Parts: []transcript.Part{
		{Kind: transcript.KindCall, ID: id, Name: tool, Args: args}}}).Parts[0]
	m := intents.Classify(tool, args)
	return attribution.Call{
		Call:    sessions.Call{ID: id, Name: CutLabel(shown.Name), Op: m.Op, Partial: m.Partial},
		Meaning: m,
		Shown:   attribution.ShownCall{Meaning: intents.Classify(tool, shown.Args), Args: shown.Args},
	}
}

// readBefore finds the newest read that a session made of a file, and that did not fail, and returns the file if others changed it since: see
// changes.StaleRead. nil: they did not, or there is no such read.
func (l *Ledger) readBefore(tx kv.Tx, s *sessions.Session, path string) (*changes.Stale, error) {
	reads, err := sessions.ReadsOf(tx, path)
	if err != nil {
		return nil, err
	}
	var newest int64
	for _, r := range slices.Backward(reads) {
		if r.Session != s.ID || r.Seq < newest {
			continue
		}
		if res, err := sessions.ResultOf(tx, r); err != nil {
			return nil, err
		} else if !res.Failed {
			newest = r.Seq
		}
	}
	if newest == 0 {
		return nil, nil
	}
	e, err := sessions.GetEntry(tx, s.ID, newest)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, _, err := changes.StaleRead(tx, path, l.Trees.Apart(*s), e.Time, attribution.ChangesOf(tx, s.ID))
	if c == nil || err != nil {
		return nil, err
	}
	return &changes.Stale{Path: path, ReadSeq: newest, Gone: c.Op == changes.Deleted, Changed: c.Time, By: c.By()}, nil
}
