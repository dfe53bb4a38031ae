package core

import (
	"context"
	"fmt"
	"io"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxGroup bounds how far the records of one message are searched, in entries.
const maxGroup = 256

// maxCall bounds what a heading says of one call, in characters.
const maxCall = 200

// messageOf returns the records of the message that begins at a place: hosts may record each block of an answer by
// itself.
func messageOf(tx kv.Tx, at sessions.Place) ([]sessions.Stored, error) {
	first, err := sessions.GetEntry(tx, at.Session, at.Seq)
	if err != nil || first.Group == "" {
		return []sessions.Stored{first}, err
	}
	records := []sessions.Stored{first}
	for e, err := range sessions.Scan(tx, at.Session, at.Seq+1, at.Seq+maxGroup) {
		if err != nil {
			return nil, err
		}
		if e.Prompt || e.Group != "" && e.Group != first.Group {
			break
		}
		if e.Group == first.Group && e.Role == first.Role && e.Forgotten == nil {
			records = append(records, e)
		}
	}
	return records, nil
}

// messageText returns what a model reads of a message, or of the result with a number in it.
func (l *Ledger) messageText(ctx context.Context, records []sessions.Stored, result int) (string, error) {
	var texts []string
	for _, e := range records {
		raw, err := l.Message(ctx, e)
		if err != nil {
			return "", err
		}
		if e.Kind == sessions.KindNotes {
			if n := sessions.NotesOf(raw); n.Kind == sessions.NotesPlain {
				return n.Text, nil
			}
		}
		if e.Kind != sessions.KindMessage && (e.Queue == "" || e.Message.Empty()) {
			return string(raw), nil // of a host's record or of notes with more than a text
		}
		m, err := transcript.Decode(e.Format, raw)
		if err != nil {
			return "", err
		}
		if result > 0 {
			text, ok := transcript.ResultText(m, result)
			if !ok {
				return "", fault.New(fault.NotFound, "engine.handle", "message %s has no result %d", e.Handle(), result)
			}
			return text, nil
		}
		if text := transcript.FullText(m); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// writeTexts writes what a model reads of the messages in a range, each below a line that names it. One that cannot be decoded
// stays as it is.
func (l *Ledger) writeTexts(ctx context.Context, w io.Writer, of compaction.Record) error {
	r := ledger.LogRequest{Session: of.Session, From: of.From, To: of.To, Originals: true}
	open := map[string]string{} // call id → tool and target, of calls that are not answered yet
	for e, err := range ledger.LogEntries(ctx, l, r) {
		if err != nil {
			return err
		}
		var text string
		switch {
		case e.Forgotten != nil:
			text = sessions.TombstoneText(*e.Forgotten, e.Expired)
		case e.Kind != sessions.KindMessage && e.Kind != sessions.KindNotes && e.Queue == "":
			continue // of the host, or of the ledger
		default:
			text, err = l.messageText(ctx, []sessions.Stored{{Entry: e.Entry, Original: e.Original}}, 0)
			if err != nil {
				text = string(e.Original)
			}
		}
		calls := l.answered(ctx, open, sessions.Stored{Entry: e.Entry, Original: e.Original})
		role := string(e.Role)
		if e.Kind == sessions.KindNotes {
			role = "notes of the agent"
		}
		heading := artifacts.Heading(e.Handle(), e.Turn, role, calls)
		if _, err := fmt.Fprintf(w, "%s\n%s\n\n", heading, text); err != nil {
			return err
		}
	}
	return nil
}

// answered returns what the calls were that an entry answers, and keeps those that it makes in open.
func (l *Ledger) answered(ctx context.Context, open map[string]string, e sessions.Stored) (calls []string) {
	for _, r := range e.Results {
		if call := open[r.CallID]; call != "" {
			calls = append(calls, call)
		}
		delete(open, r.CallID)
	}
	if len(e.Calls) == 0 || len(open) > maxGroup || e.Forgotten != nil {
		return calls
	}
	raw, err := l.Message(ctx, e)
	if err != nil {
		return calls // it is said where its text is
	}
	m, err := transcript.Decode(e.Format, raw)
	if err != nil {
		return calls
	}
	transcript.Identify(&m, e.CallIDs())
	for _, p := range m.Parts {
		if p.Kind == transcript.KindCall {
			open[p.ID] = chars.Short(chars.Line(transcript.CallText(p)), maxCall)
		}
	}
	return calls
}
