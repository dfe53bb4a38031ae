package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// KeepNotes implements ledger.Recorder.
func (l *Ledger) KeepNotes(ctx context.Context, r ledger.KeepNotesRequest) (sessions.Session, error) {
	m := l.NewMutation("notes", r.Key, r).Check(checkNotes(r))
	if s, done, err := PreviousResponse[sessions.Session](ctx, l, m); done || err != nil {
		return s, err
	}
	kept := r.Notes // they go to other agents
	kept.Text, kept.Reason = l.Masks.String(kept.Text), l.Masks.String(kept.Reason)
	original, err := kept.Bytes()
	if err != nil {
		return sessions.Session{}, fault.Wrap(fault.Internal, "engine.notes", err)
	}
	return Mutate(ctx, l, m, func(tx kv.Tx) (sessions.Session, []ledger.Event, error) {
		s, err := l.sessionForNotes(tx, r, m)
		if err != nil {
			return s, nil, err
		}
		var events []ledger.Event
		if r.Kind != sessions.NotesPlain || r.Text != "" {
			e, err := sessions.Append(tx, &s, sessions.Entry{Kind: sessions.KindNotes, Note: string(r.Kind), Time: m.At,
				Turn: s.Turns, Size: int64(len(original))}, original)
			if err != nil {
				return s, nil, err
			}
			events = append(events, ledger.Event{Kind: ledger.EventEntries, Session: s.ID, Entry: e.Seq, Count: 1})
			if r.Kind == sessions.NotesHandoff {
				if err := AliasBehind(tx, s, kept.Text); err != nil {
					return s, nil, err
				}
			}
		}
		if r.Assembled != nil {
			event, err := NewEvent(ledger.EventAssembly, s.ID, 0, r.Assembled)
			if err != nil {
				return s, nil, err
			}
			events = append(events, event)
		}
		return s, events, sessions.Save(tx, s)
	})
}

// checkNotes refuses what is too long, or says nothing.
func checkNotes(r ledger.KeepNotesRequest) error {
	const op = "engine.notes"
	most := limits.Notes
	switch r.Kind {
	case sessions.NotesContext:
		if n := utf8.RuneCountInString(r.Text); n > limits.SessionContext {
			return fault.New(fault.TooLarge, op, "the session context has %d characters, more than the limit of %d", n,
				limits.SessionContext).WithHint("name files instead of quoting them")
		}
		most = limits.SessionContext * utf8.UTFMax
	case sessions.NotesHandoff:
		most = limits.Handoff
	}
	if err := CheckTexts(op, Label("session", r.Session), Text("host", r.Host, maxHostID),
		Text("directory", r.Dir, attribution.MaxPath), Text("notes", r.Text, most), Label("agent", r.Agent),
		Label("agent", r.To), Label("id", r.ID), Text("reason", r.Reason, limits.Notes)); err != nil {
		return err
	}
	if strings.TrimSpace(r.Text) == "" && r.Kind != sessions.NotesTaken && r.Assembled == nil {
		return fault.New(fault.Invalid, op, "the notes are empty")
	}
	return r.Check()
}

// sessionForNotes returns the session that notes belong to, or makes one for them.
func (l *Ledger) sessionForNotes(tx kv.Tx, r ledger.KeepNotesRequest, m Mutation) (sessions.Session, error) {
	if r.Session != "" {
		return sessions.Get(tx, r.Session)
	}
	dir := cmp.Or(r.Dir, l.root)
	return sessions.Create(tx, sessions.Session{
		Host: cmp.Or(r.Host, "mcp"), Dir: dir, Tree: l.Trees.TreeOf(dir), Created: m.At, Updated: m.At,
		Title: l.MaskedTitle("Notes: " + r.Text),
	}, sessions.Digest([]byte(m.key+"\x00"+m.At.String()+"\x00"+r.Text)))
}

// Bounds of what a document is given of notes: the newest ones.
const (
	maxNotes    = 4
	maxAttempts = 50
)

// Notes returns the newest notes of a session that its current summary does not have, newest first, and what agents logged
// as tried, oldest first.
func (f *Folded) Notes(tx kv.Tx) (notes, attempts []compaction.Noted, err error) {
	from := int64(0)
	if cur := f.Current(); cur != nil {
		from = f.At[cur.ID]
	}
	for _, e := range slices.Backward(f.Entries) {
		plain := e.Note == string(sessions.NotesPlain) && e.Seq > from && len(notes) < maxNotes
		attempt := e.Note == string(sessions.NotesAttempt) && len(attempts) < maxAttempts
		if e.Kind != sessions.KindNotes || e.Forgotten != nil || !plain && !attempt {
			continue
		}
		original, err := sessions.Inline(tx, f.Session.ID, e.Seq)
		if err != nil {
			return nil, nil, err
		}
		n := sessions.NotesOf(original)
		if attempt {
			attempts = append(attempts, compaction.Noted{Turn: e.Turn,
				Text: strings.TrimSuffix(n.Text+" → "+n.Reason, " → ")})
		} else {
			notes = append(notes, compaction.Noted{Turn: e.Turn, Text: n.Text})
		}
	}
	slices.Reverse(attempts)
	return notes, attempts, nil
}

// AliasBehind has a conversation recognised that a host keeps as a view shows it: with a text of ours behind the newest
// message, such as a handoff. "": there is none.
func AliasBehind(tx kv.Tx, s sessions.Session, text string) error {
	if text == "" || s.HostID != "" { // sessions that are read from files need no aliases
		return nil
	}
	last, err := newestMessage(tx, s)
	if err != nil || last.ID == "" {
		return err
	}
	value, err := sessions.ValueDigest(last.Format, transcript.NewMessage(last.Format, transcript.RoleUser, text))
	if err != nil {
		return err
	}
	return sessions.Alias(tx, sessions.MessageID(last.ID, value), last.ID)
}

// handedTo returns what other agents handed to the one whose view it is, by the names of the configuration.
func (f *Folded) handedTo(tx kv.Tx, names spec.Spec) (all []window.Handed, err error) {
	for _, e := range f.Entries {
		if e.Kind != sessions.KindNotes || e.Note != string(sessions.NotesHandoff) || e.Forgotten != nil {
			continue
		}
		original, err := sessions.Inline(tx, f.Session.ID, e.Seq)
		if err != nil {
			return nil, err
		}
		if n := sessions.NotesOf(original); names.Same(n.To, f.Agent) {
			all = append(all, window.NewHanded(e.Seq, n.Text))
		}
	}
	return all, nil
}
