package core

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// KeepNotes implements ledger.Recorder.
func (l *Ledger) KeepNotes(ctx context.Context, r ledger.KeepNotesRequest) (sessions.Session, error) {
	const op = "engine.notes"
	if err := CheckTexts(op, Label("session", r.Session), Text("host", r.Host, maxHostID),
		Text("directory", r.Dir, attribution.MaxPath), Text("notes", r.Text, limits.Notes)); err != nil {
		return sessions.Session{}, err
	}
	if strings.TrimSpace(r.Text) == "" {
		return sessions.Session{}, fault.New(fault.Invalid, op, "the notes are empty")
	}
	m, err := l.NewMutation("notes", r.Key, r)
	if err != nil {
		return sessions.Session{}, err
	}
	if s, done, err := PreviousResponse[sessions.Session](ctx, l, m); done || err != nil {
		return s, err
	}
	original, err := sessions.Notes{Text: l.Masks.String(r.Text)}.Bytes() // they go to other agents
	if err != nil {
		return sessions.Session{}, fault.Wrap(fault.Internal, op, err)
	}
	return Mutate(ctx, l, m, func(tx kv.Tx) (sessions.Session, []ledger.Event, error) {
		s, err := l.sessionForNotes(tx, r, m)
		if err != nil {
			return s, nil, err
		}
		e, err := sessions.Append(tx, &s, sessions.Entry{Kind: sessions.KindNotes, Time: m.At, Turn: s.Turns,
			Size: int64(len(original))}, original)
		if err != nil {
			return s, nil, err
		}
		event := ledger.Event{Kind: ledger.EventEntries, Session: s.ID, Entry: e.Seq, Count: 1}
		return s, []ledger.Event{event}, sessions.Save(tx, s)
	})
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

// maxNotes is how many of a session's newest notes are read for a document.
const maxNotes = 4

// Notes returns the newest notes of a session that its current summary does not have, newest first.
func (f *Folded) Notes(tx kv.Tx) (out []compaction.Noted, err error) {
	from := int64(0)
	if cur := f.Current(); cur != nil {
		from = f.At[cur.ID]
	}
	for _, e := range slices.Backward(f.Entries) {
		if e.Seq <= from || len(out) == maxNotes {
			break
		}
		if e.Kind != sessions.KindNotes || e.Forgotten != nil {
			continue
		}
		original, err := sessions.Inline(tx, f.Session.ID, e.Seq)
		if err != nil {
			return nil, err
		}
		out = append(out, compaction.Noted{Turn: e.Turn, Text: sessions.NotesOf(original)})
	}
	return out, nil
}
