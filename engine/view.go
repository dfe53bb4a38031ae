package engine

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// folded is a session's log read once: its headers, the compactions in force, and the view that
// follows from both.
type folded struct {
	session sessions.Session
	entries []sessions.Entry
	compactions
	view window.View
}

// fold reads the log of a session and folds it into its view.
func (l *Local) fold(tx kv.Tx, id string) (*folded, error) {
	s, err := sessions.Get(tx, id)
	if err != nil {
		return nil, err
	}
	f := &folded{session: s}
	for e, err := range sessions.Scan(tx, id, 0, 0) {
		if err != nil {
			return nil, err
		}
		f.entries = append(f.entries, e.Entry)
		if err := f.compactions.add(e.Entry); err != nil {
			return nil, err
		}
	}
	f.view = window.Plan(window.Input{Entries: f.entries, Cutoff: f.cutoff()})
	return f, nil
}

// cutoff returns where the view starts after the compaction in force.
func (c *compactions) cutoff() *window.Cutoff {
	cur := c.current()
	if cur == nil {
		return nil
	}
	return &window.Cutoff{Summary: cur.ID, FirstKept: cur.FirstKept, Recorded: c.at[cur.ID]}
}

// current returns the compaction that the view starts with, or nil. A rewind into the range that a
// compaction covers takes it out of the view.
func (f *folded) current() *compaction.Record {
	if f.view.Summary == "" {
		return nil
	}
	return f.compactions.current()
}

// tokens returns the o200k_base size of the whole view.
func (f *folded) tokens(summary string) int {
	n := 0
	if f.current() != nil {
		n = summaryTokens(summary)
	}
	for _, s := range f.view.Slots {
		n += s.Tokens
	}
	return n
}

// summaryTokens is the o200k_base size of a summary as a message.
func summaryTokens(text string) int {
	return framingTokens + tokens.O200kBase.CountString(text)
}

// counter returns the counter of a model, or of the session's when none is named.
func (f *folded) counter(model string) tokens.Counter {
	if model == "" {
		model = f.session.Model
	}
	return tokens.For(model)
}

// View implements API.
func (l *Local) View(ctx context.Context, r ViewRequest) (ViewResponse, error) {
	return view(ctx, l, func(tx kv.Tx) (ViewResponse, error) {
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
		if size += len(m.JSON); size > limits.Page && len(resp.Messages) > 0 {
			resp.Next = i
			break
		}
		if m, err = l.pageSize(ctx, m); err != nil {
			return ViewResponse{}, err
		}
		resp.Messages = append(resp.Messages, m)
	}
	return resp, nil
}

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
	format := transcript.Anthropic
	if len(f.view.Slots) > 0 {
		format = f.view.Slots[0].Format
	}
	return []ViewMessage{{
		ID: cur.ID, Role: transcript.RoleUser, Format: format, Turn: cur.TurnTo, Tokens: summaryTokens(text),
		JSON: transcript.NewMessage(format, transcript.RoleUser, text),
	}}, text, nil
}

// render returns one message of a view: the original bytes, or, where something stands in for a
// part, the original with exactly that part replaced.
func (l *Local) render(ctx context.Context, tx kv.Tx, f *folded, slot window.Slot) (ViewMessage, error) {
	m := ViewMessage{Role: slot.Role, Format: slot.Format, Turn: slot.Turn, Tokens: slot.Tokens, Edited: slot.Edited}
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
		if err != nil {
			return m, err
		}
		raws = append(raws, raw)
		for _, r := range e.Results {
			if slot.Stubs[r.CallID] == "" {
				continue
			}
			if stubs[r.CallID], err = stub(tx, f.session.ID, r.CallID); err != nil {
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
		return transcript.NewMessage(e.Format, e.Role, "[forgotten on "+e.Forgotten.Format("2006-01-02")+" on request]"), nil
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

// originalOf returns the original of an entry; nil when it was forgotten.
func (l *Local) originalOf(ctx context.Context, e sessions.Stored) ([]byte, error) {
	if e.Blob == "" || e.Forgotten != nil {
		return e.Original, nil
	}
	return l.readBlob(ctx, e.Blob, limits.Blob)
}

// pageSize moves a message that does not fit a page into a blob.
func (l *Local) pageSize(ctx context.Context, m ViewMessage) (ViewMessage, error) {
	if len(m.JSON) <= limits.Page {
		return m, nil
	}
	hash, err := l.keepBytes(ctx, m.JSON)
	m.JSON, m.Blob = nil, hash
	return m, err
}
