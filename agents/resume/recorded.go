package resume

import (
	"context"
	"encoding/json"
	"io"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxLine bounds the records that are searched for what an agent keeps of a result, in bytes.
const maxLine = 2 << 20

// record is what the log says of the messages of a view.
type record struct {
	entries map[int64]sessions.Entry   // by sequence number
	keeps   map[string]json.RawMessage // what the agent keeps of a result besides the message, by call
	lines   map[int64]json.RawMessage  // records of what is in the user's place, by sequence number
}

// recorded reads the part of the log that the messages of a view come from.
func recorded(ctx context.Context, api ledger.API, w sessionfile.Writer, view ledger.ViewResponse) (record, error) {
	out := record{entries: map[int64]sessions.Entry{}, keeps: map[string]json.RawMessage{},
		lines: map[int64]json.RawMessage{}}
	from := int64(0)
	for _, m := range view.Messages {
		if m.Seq > 0 && (from == 0 || m.Seq < from) {
			from = m.Seq
		}
	}
	if from == 0 {
		return out, nil
	}
	for r := (ledger.LogRequest{Session: view.Session, From: from, Originals: w.Keeps != nil}); ; {
		page, err := api.Log(ctx, r)
		if err != nil {
			return out, err
		}
		for _, e := range page.Entries {
			out.entries[e.Seq] = e.Entry
			if err := out.note(ctx, api, w, e); err != nil {
				return out, err
			}
		}
		if r.From = page.Next; r.From == 0 {
			return out, nil
		}
	}
}

// ofState counts what the agent put there to say how things stand: it makes that anew.
func (r *record) ofState() (n int) {
	for _, e := range r.entries {
		if e.Hidden && e.Note != "" && e.Author == "" {
			n++
		}
	}
	return n
}

// note keeps what the agent has of the one result of an entry, and the record of a message without any: it says what the
// agent makes of it.
func (r *record) note(ctx context.Context, api ledger.Blobs, w sessionfile.Writer, e ledger.LogEntry) error {
	spoken := e.Role == transcript.RoleUser && len(e.Results) == 0 && !e.Earlier && !e.Message.Empty()
	if w.Keeps == nil || len(e.Results) != 1 && !spoken || e.Size > maxLine || e.Forgotten != nil {
		return nil
	}
	line := e.Original
	if line == nil && e.Blob != "" {
		blob, err := api.ReadBlob(ctx, ledger.ReadBlobRequest{Hash: e.Blob})
		if err != nil {
			return err
		}
		defer blob.Close() // opened for reading
		if line, err = io.ReadAll(io.LimitReader(blob, maxLine)); err != nil {
			return err
		}
	}
	if spoken {
		r.lines[e.Seq] = line
	} else if kept := w.Keeps(line); kept != nil {
		r.keeps[e.Results[0].CallID] = kept
	}
	return nil
}
