package engine

import (
	"bytes"
	"context"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// View implements API.
func (l *Local) View(ctx context.Context, r ViewRequest) (ViewResponse, error) {
	if err := checkTexts("engine.view", label("session", r.Session), label("model", r.Model)); err != nil {
		return ViewResponse{}, err
	}
	resp, err := view(ctx, l, func(tx kv.Tx) (ViewResponse, error) {
		f, err := l.fold(tx, r.Session)
		if err != nil {
			return ViewResponse{}, err
		}
		if r.Position != 0 && r.Position != f.session.Seq {
			return ViewResponse{}, fault.New(fault.Stale, "engine.view", "the log of session %s went on from %d to %d while its view was read", r.Session, r.Position, f.session.Seq).
				WithHint("read the view again from its start")
		}
		return l.renderPage(ctx, tx, f, r)
	})
	if err != nil {
		return ViewResponse{}, err
	}
	return resp, l.moveLong(ctx, resp.Messages)
}

// renderPage renders the messages of one page of a view.
func (l *Local) renderPage(ctx context.Context, tx kv.Tx, f *folded, r ViewRequest) (ViewResponse, error) {
	head, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return ViewResponse{}, err
	}
	resp := ViewResponse{
		Session: f.session.ID, Position: f.session.Seq, Total: len(f.view.Slots) + len(head),
		Tokens: f.counter(r.Model).Of(f.tokens(text)), Messages: []ViewMessage{},
	}
	if cur := f.current(); cur != nil {
		resp.Summary = cur.ID
	}
	size := 0
	for i := max(r.From, 0); i < resp.Total; i++ {
		var m ViewMessage
		if i < len(head) {
			m = head[i]
		} else if m, err = l.render(ctx, tx, f, f.view.Slots[i-len(head)]); err != nil {
			return ViewResponse{}, err
		}
		if m.JSON == nil {
			continue // nothing is left of the message
		}
		// A message that moves into a blob takes a page of its own, so that no two are in memory.
		if size += min(len(m.JSON), limits.Page) + messageSize; size > limits.Page && len(resp.Messages) > 0 {
			resp.Next = i
			break
		}
		resp.Messages = append(resp.Messages, m)
	}
	return resp, nil
}

// messageSize is what a message takes in a page beside its JSON, in bytes; as much again as base64
// adds to it.
const messageSize = 130

// summaryMessage returns the message at the head of a compacted view, and its text.
func (l *Local) summaryMessage(ctx context.Context, f *folded) ([]ViewMessage, string, error) {
	cur := f.current()
	if cur == nil {
		return nil, "", nil
	}
	text, err := l.summaryText(ctx, *cur)
	if err != nil {
		return nil, "", err
	}
	format := f.format()
	return []ViewMessage{{
		ID: cur.ID, Role: transcript.RoleUser, Format: format, Turn: cur.TurnTo, Tokens: summaryTokens(text),
		JSON: transcript.NewMessage(format, transcript.RoleUser, text),
	}}, text, nil
}

// format returns the provider's format of the session's messages.
func (f *folded) format() transcript.Format {
	if len(f.view.Slots) > 0 {
		return f.view.Slots[0].Format
	}
	return transcript.Anthropic
}

// render returns one message of a view: the original bytes, or, where something stands in for a
// part, the original with exactly that part replaced.
func (l *Local) render(ctx context.Context, tx kv.Tx, f *folded, slot window.Slot) (ViewMessage, error) {
	m := ViewMessage{Role: slot.Role, Format: slot.Format, Turn: slot.Turn, Tokens: slot.Tokens, Edited: slot.Edited}
	if slot.Note != "" {
		m.Seq, m.ID = slot.Seqs[0], f.entries[slot.Seqs[0]-1].ID
		m.JSON = transcript.NewMessage(slot.Format, slot.Role, slot.Note)
		return m, nil
	}
	var raws [][]byte
	stubs := map[string]string{}
	for _, seq := range slot.Seqs {
		e, err := sessions.GetEntry(tx, f.session.ID, seq)
		if err != nil {
			return m, err
		}
		if m.Seq == 0 {
			m.Seq, m.ID = e.Seq, e.ID
		}
		raw, err := l.message(ctx, e)
		if err == nil && e.Forgotten == nil {
			raw, err = transcript.Edit(slot.Format, raw, slot.Shorten(seq))
		}
		if err != nil {
			return m, err
		}
		raws = append(raws, raw)
		for _, r := range e.Results {
			if slot.Stubs[r.CallID] != r.Artifact || r.Artifact == "" || stubs[r.CallID] != "" {
				continue
			}
			if stubs[r.CallID], err = stub(tx, f.session.ID, seq, r.CallID); err != nil {
				return m, err
			}
		}
	}
	edits := slot.Edits(func(string) (string, bool) { return "", false }) // a stub belongs to its call
	edits.Results = stubs
	merged, err := transcript.Merge(slot.Format, raws)
	if err != nil {
		return m, err
	}
	m.JSON, err = transcript.Edit(slot.Format, merged, edits)
	return m, err
}

// message returns the provider's message of an entry, as received.
func (l *Local) message(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Forgotten != nil {
		return tombstone(e.Entry), nil
	}
	original, err := l.originalOf(ctx, e)
	if err != nil {
		return nil, err
	}
	if e.Message.Empty() {
		return original, nil
	}
	if e.Message.From < 0 || e.Message.To > len(original) {
		return nil, fault.New(fault.Corrupt, "engine.message", "the message of entry %d lies outside its original", e.Seq)
	}
	return original[e.Message.From:e.Message.To], nil
}

// originalOf returns the original of an entry that was not forgotten.
func (l *Local) originalOf(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Blob == "" {
		return e.Original, nil
	}
	return l.readBlob(ctx, e.Blob, limits.Blob)
}

// moveLong moves the messages that do not fit a page into blobs, outside of any transaction: it may
// have to wait for a garbage collection.
func (l *Local) moveLong(ctx context.Context, messages []ViewMessage) error {
	for i := range messages {
		m := &messages[i]
		if len(m.JSON) <= limits.Page {
			continue
		}
		ref, err := l.PutBlob(ctx, bytes.NewReader(m.JSON))
		if err != nil {
			return err
		}
		m.JSON, m.Blob = nil, ref.Hash
	}
	return nil
}
