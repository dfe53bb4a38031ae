package core

import (
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Message returns the provider's message of an entry, as received; around queued content, a message of the user.
func (l *Ledger) Message(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Forgotten != nil {
		return e.Entry.Tombstone(), nil
	}
	original, err := l.originalOf(ctx, e)
	if err != nil {
		return nil, err
	}
	raw, ok := e.MessageIn(original)
	if !ok {
		return nil, fault.New(fault.Corrupt, "engine.message", "the message of entry %d lies outside its original",
			e.Seq)
	}
	return raw, nil
}

// originalOf returns the original of an entry that is not forgotten.
func (l *Ledger) originalOf(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Blob == "" {
		return e.Original, nil
	}
	return l.readBlob(ctx, e.Blob, limits.Blob)
}

// AttachedText returns the text of the file that a host put into an entry of a log that was folded in the same transaction;
// "": it is not known. Errors: those of DecodeEntry.
func (l *Ledger) AttachedText(ctx context.Context, tx kv.Tx, f *Folded, seq int64) (string, error) {
	original, e, err := l.originalIn(ctx, tx, f, seq)
	if a := e.Attached; err != nil || a == nil || a.Text.Empty() || a.Text.To > len(original) {
		return "", err
	}
	return jsonspan.Text(e.Attached.Text.In(original), limits.Line), nil
}

// DecodeEntry returns the decoded message of an entry of a log that was folded in the same transaction. Errors: not_found
// for a forgotten one, and for a number that the log does not have.
func (l *Ledger) DecodeEntry(ctx context.Context, tx kv.Tx, f *Folded, seq int64) (transcript.Message, error) {
	original, e, err := l.originalIn(ctx, tx, f, seq)
	if err != nil {
		return transcript.Message{}, err
	}
	e.Blob, e.Original = "", original
	raw, err := l.Message(ctx, e)
	if err != nil {
		return transcript.Message{}, err
	}
	m, err := transcript.Decode(e.Format, raw)
	transcript.Identify(&m, e.CallIDs())
	return m, err
}

// originalIn returns an entry of a log that was folded in the same transaction, and its original. Errors: those of
// DecodeEntry.
func (l *Ledger) originalIn(ctx context.Context, tx kv.Tx, f *Folded, seq int64) ([]byte, sessions.Stored, error) {
	e, err := f.Stored(tx, seq)
	if err == nil && e.Forgotten != nil {
		err = fault.New(fault.NotFound, "engine.decode", "message %s was forgotten", e.ID)
	}
	if err != nil {
		return nil, e, err
	}
	original, err := l.originalOf(ctx, e)
	return original, e, err
}

// Stored returns an entry with its inline original, in the transaction that folded the log: only the original is read.
// Errors: not_found, corrupt.
func (f *Folded) Stored(tx kv.Tx, seq int64) (sessions.Stored, error) {
	if seq < 1 || seq > int64(len(f.Entries)) {
		return sessions.Stored{}, fault.New(fault.NotFound, "engine.decode", "session %s has no entry %d", f.Session.ID,
			seq)
	}
	e := sessions.Stored{Entry: f.Entries[seq-1]}
	if e.Forgotten != nil || e.Blob != "" {
		return e, nil
	}
	var err error
	e.Original, err = sessions.Inline(tx, f.Session.ID, seq)
	return e, err
}
