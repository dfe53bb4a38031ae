package records

import (
	"context"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// log is the log of a session.
type log struct {
	api     ledger.LogReader
	session string
}

// entries returns a part of the log, without the originals.
func (l log) entries(ctx context.Context, from, to int64) ([]sessions.Entry, error) {
	var all []sessions.Entry
	for e, err := range ledger.LogEntries(ctx, l.api, ledger.LogRequest{Session: l.session, From: from, To: to}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e.Entry)
	}
	return all, nil
}

// message returns a message, empty if it is too long for a document or cannot be decoded.
func (l log) message(ctx context.Context, e sessions.Entry) (transcript.Message, error) {
	raw, err := l.original(ctx, e)
	if err != nil || raw == nil {
		return transcript.Message{}, err
	}
	raw, _ = e.MessageIn(raw)
	m, err := transcript.Decode(e.Format, raw)
	if err != nil {
		return transcript.Message{}, nil // the ledger keeps the original; it is only not shown
	}
	return m, nil
}

// original returns an original of at most limits.Frame bytes, nil for a longer one.
func (l log) original(ctx context.Context, e sessions.Entry) ([]byte, error) {
	if e.Size > limits.Frame {
		return nil, nil
	}
	if e.Blob == "" {
		page, err := l.api.Log(ctx, ledger.LogRequest{Session: l.session, From: e.Seq, To: e.Seq, Originals: true})
		if err != nil || len(page.Entries) == 0 {
			return nil, err
		}
		return page.Entries[0].Original, nil
	}
	return readBlob(ctx, l.api, ledger.ReadBlobRequest{Hash: e.Blob}, limits.Frame)
}
