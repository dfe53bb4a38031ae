package views

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// View implements ledger.Views.
func (l *Views) View(ctx context.Context, r ledger.ViewRequest) (ledger.ViewResponse, error) {
	if err := core.CheckTexts("engine.view", core.Label("session", r.Session), core.Label("model", r.Model),
		core.Label("agent", r.Agent)); err != nil {
		return ledger.ViewResponse{}, err
	}
	resp, err := core.View(ctx, l.core, func(tx kv.Tx) (ledger.ViewResponse, error) {
		f, err := l.core.FoldFor(tx, r.Session, r.Reader, true)
		if err != nil {
			return ledger.ViewResponse{}, err
		}
		if r.Position != 0 && r.Position != f.Session.Seq {
			return ledger.ViewResponse{}, fault.New(fault.Stale, "engine.view",
				"the log of session %s grew from %d to %d while its view was being read", r.Session, r.Position,
				f.Session.Seq).
				WithHint("read the view again from its start")
		}
		return l.Page(ctx, tx, f, r)
	})
	if err != nil {
		return ledger.ViewResponse{}, err
	}
	return resp, l.moveLong(ctx, resp.Messages)
}

// Page renders the messages of one page of a view.
func (l *Views) Page(ctx context.Context, tx kv.Tx, f *core.Folded, r ledger.ViewRequest) (ledger.ViewResponse, error) {
	summary, text, err := l.summaryMessage(ctx, f)
	if err != nil {
		return ledger.ViewResponse{}, err
	}
	if f.BeginsWithCalls() {
		summary = []ledger.ViewMessage{core.OpeningMessage(formatOf(f))}
	}
	m, bounds := measureOf(f, r.Model), f.Policy.Compact
	resp := ledger.ViewResponse{
		Session: f.Session.ID, Position: f.Session.Seq, Total: len(f.View.Slots) + len(summary),
		Tokens: m.View(f.Tokens(text), nil), Messages: []ledger.ViewMessage{}, Left: f.View.Left,
		Budget: overflow.Budget{ContextTokens: bounds.MaxContext, PayloadBytes: bounds.MaxPayload},
	}
	if bounds.MaxContext > 0 {
		fixed, _ := fixedInput(f, m.Counter)
		resp.Fixed = fixed.N
	}
	if cur := f.Current(); cur != nil {
		resp.Summary = cur.ID
	}
	head, size := f.View.Head(), 0
	for i := max(r.From, 0); i < resp.Total; i++ {
		var pieces []ledger.ViewMessage
		if at := i - head; at >= 0 && at < len(summary) {
			pieces = summary
		} else {
			if at >= 0 {
				at -= len(summary)
			}
			slot := f.View.Slots[head+at]
			pieces, err = l.render(ctx, tx, f, slot)
			for k := 0; r.Handles && k < len(pieces); k++ {
				pieces[k].Handles = handles(f, slot)
			}
		}
		if err != nil {
			return ledger.ViewResponse{}, err
		}
		// A message that moves into a blob has a page of its own, so that only one such is in memory.
		for _, m := range pieces {
			size += min(len(m.JSON), limits.Page) + messageSize
		}
		if size > limits.Page && len(resp.Messages) > 0 && len(pieces) > 0 {
			resp.Next = i
			break
		}
		resp.Messages = append(resp.Messages, pieces...)
	}
	return resp, nil
}

// handles returns what reads the results of a slot back, by the ids that its messages know them under.
func handles(f *core.Folded, slot window.Slot) map[string]string {
	out := map[string]string{}
	for _, seq := range slot.Seqs {
		e := &f.Entries[seq-1]
		for _, r := range e.Results {
			out[transcript.Unplaced(r.CallID)] = cmp.Or(r.Artifact, e.ResultHandle(r.CallID))
		}
	}
	return out
}

// messageSize is the upper bound of the members of a message in a page other than its JSON, in bytes.
const messageSize = 130

// summaryMessage returns the message at the head of a compacted view, and its text.
func (l *Views) summaryMessage(ctx context.Context, f *core.Folded) ([]ledger.ViewMessage, string, error) {
	cur := f.Current()
	if cur == nil {
		return nil, "", nil
	}
	text, err := l.core.SummaryText(ctx, *cur)
	if err != nil {
		return nil, "", err
	}
	format := formatOf(f)
	return []ledger.ViewMessage{{
		ID: cur.ID, Role: transcript.RoleUser, Format: format, Turn: cur.TurnTo, Tokens: core.SummaryTokens(text),
		JSON: transcript.NewMessage(format, transcript.RoleUser, text),
	}}, text, nil
}

// formatOf returns the provider's format of the session's messages: that of the view, or of the newest message where
// the view is empty.
func formatOf(f *core.Folded) transcript.Format {
	if n := len(f.View.Slots); n > 0 {
		return f.View.Slots[n-1].Format
	}
	for _, e := range slices.Backward(f.Entries) {
		if e.Kind == sessions.KindMessage {
			return e.Format
		}
	}
	return transcript.Anthropic
}

// render returns the messages of a slot as its provider gets them, and then the note after it.
func (l *Views) render(ctx context.Context, tx kv.Tx, f *core.Folded, slot window.Slot) ([]ledger.ViewMessage, error) {
	if slot.After == "" {
		return l.renderSlot(ctx, tx, f, slot)
	}
	after := ourMessage(f, slot, slot.Seqs[len(slot.Seqs)-1], slot.After)
	after.Tokens, after.Shortened = core.SummaryTokens(slot.After), 0
	slot.Tokens -= after.Tokens
	pieces, err := l.renderSlot(ctx, tx, f, slot)
	return append(pieces, after), err
}

// ourMessage is a message that the ledger itself puts into a view in the place of an entry.
func ourMessage(f *core.Folded, slot window.Slot, seq int64, text string) ledger.ViewMessage {
	return ledger.ViewMessage{
		Seq: seq, ID: f.Entries[seq-1].ID, Role: transcript.RoleUser, Format: slot.Format, Turn: slot.Turn,
		Tokens: slot.Tokens,
		Edited: true, Shortened: 1, JSON: transcript.NewMessage(slot.Format, transcript.RoleUser, text),
	}
}

// renderSlot returns the messages of a slot itself: one, or several where results and items are messages of their
// own. They are the original bytes, or the original with exactly the replaced parts changed. There are none when
// nothing is left that could be sent.
func (l *Views) renderSlot(
	ctx context.Context, tx kv.Tx, f *core.Folded, slot window.Slot,
) ([]ledger.ViewMessage, error) {
	if slot.Note != "" {
		return []ledger.ViewMessage{ourMessage(f, slot, slot.Seqs[0], slot.Note)}, nil
	}
	var records []sessions.Entry
	var raws []transcript.Record
	stubs := map[string]string{}
	for _, seq := range slot.Seqs {
		e, err := f.Stored(tx, seq)
		if err != nil {
			return nil, err
		}
		if e.Forgotten != nil && e.Role == transcript.RoleTool && !transcript.Joins(slot.Format) {
			continue // Render adds a result that says so, and nothing but results may be there
		}
		raw, err := l.core.Message(ctx, e)
		if err != nil {
			return nil, err
		}
		record := transcript.Record{JSON: raw, IDs: e.CallIDs(), Mixed: e.Mixed()}
		if e.Forgotten == nil {
			record.Shorten = slot.Shorten(seq)
		}
		records, raws = append(records, e.Entry), append(raws, record)
		for _, r := range e.Results {
			if slot.Stubs[r.CallID] != r.Artifact || r.Artifact == "" || stubs[r.CallID] != "" {
				continue
			}
			if stubs[r.CallID], err = core.Stub(tx, f.Session.ID, seq, r.CallID); err != nil {
				return nil, err
			}
		}
	}
	edits := slot.Edits(func(string) (string, bool) { return "", false }) // a stub belongs to its call
	edits.Results = stubs
	pieces, err := transcript.Render(slot.Format, raws, edits)
	if err != nil {
		return nil, err
	}
	return placed(slot, records, raws, pieces), nil
}

// placed adds the origin and the size to each piece of a slot.
func placed(
	slot window.Slot, records []sessions.Entry, raws []transcript.Record, pieces []transcript.Piece,
) []ledger.ViewMessage {
	out := make([]ledger.ViewMessage, len(pieces))
	rest := slot.Tokens
	for i, p := range pieces {
		from := sessions.Entry{Seq: slot.Seqs[0]}
		if p.Record >= 0 {
			from = records[p.Record]
		}
		out[i] = ledger.ViewMessage{
			Seq: from.Seq, ID: from.ID, Role: slot.Role, Format: slot.Format, Turn: slot.Turn, JSON: p.JSON,
			Edited: p.Record < 0 || !bytes.Equal(p.JSON, raws[p.Record].JSON),
		}
		if i > 0 {
			out[i].Tokens = min(rest, shownTokens(slot, from))
			rest -= out[i].Tokens
		}
	}
	if len(out) > 0 {
		out[0].Tokens, out[0].Shortened = rest, len(slot.Stubs)+len(slot.Shortened)
	}
	return out
}

// shownTokens is the size of an entry as it is shown, with stubs and edits.
func shownTokens(slot window.Slot, e sessions.Entry) int {
	n := e.Tokens
	for _, r := range e.Results {
		if slot.Stubs[r.CallID] != "" {
			n += r.StubTokens - r.Tokens
		}
	}
	for _, edit := range slot.Shortened {
		if edit.Seq == e.Seq {
			n += edit.Tokens - edit.Whole(&e)
		}
	}
	return max(n, 0)
}

// moveLong moves the messages that do not fit a page into blobs. It runs outside any transaction because it may
// have to wait for a garbage collection.
func (l *Views) moveLong(ctx context.Context, messages []ledger.ViewMessage) error {
	size := 0
	for i := range messages {
		m := &messages[i]
		if size += len(m.JSON); size <= limits.Page {
			continue
		}
		size -= len(m.JSON)
		ref, err := l.core.PutBlob(ctx, bytes.NewReader(m.JSON))
		if err != nil {
			return err
		}
		m.JSON, m.Blob = nil, ref.Hash
	}
	return nil
}
