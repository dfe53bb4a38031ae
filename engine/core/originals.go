package core

import (
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Message returns the provider's message of an entry, as received.
func (l *Ledger) Message(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Forgotten != nil {
		return e.Entry.Tombstone(), nil
	}
	original, err := l.originalOf(ctx, e)
	if err != nil {
		return nil, err
	}
	if e.Message.Empty() {
		return original, nil
	}
	if e.Message.From < 0 || e.Message.To > len(original) {
		return nil, fault.New(fault.Corrupt, "engine.message", "the message of entry %d lies outside its original",
			e.Seq)
	}
	return original[e.Message.From:e.Message.To], nil
}

// originalOf returns the original of an entry that was not forgotten.
func (l *Ledger) originalOf(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Blob == "" {
		return e.Original, nil
	}
	return l.readBlob(ctx, e.Blob, limits.Blob)
}

// DecodeEntry returns the message of one entry. Errors: not_found when it was forgotten.
func (l *Ledger) DecodeEntry(ctx context.Context, tx kv.Tx, session string, seq int64) (transcript.Message, error) {
	e, err := sessions.GetEntry(tx, session, seq)
	if err == nil && e.Forgotten != nil {
		err = fault.New(fault.NotFound, "engine.decode", "message %s was forgotten", e.ID)
	}
	if err != nil {
		return transcript.Message{}, err
	}
	raw, err := l.Message(ctx, e)
	if err != nil {
		return transcript.Message{}, err
	}
	m, err := transcript.Decode(e.Format, raw)
	transcript.Identify(&m, e.CallIDs())
	return m, err
}
