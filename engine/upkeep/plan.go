package upkeep

import (
	"cmp"
	"context"
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// A dry run is a forgetting whose writes are discarded: what it counts and describes is found by the code that forgets,
// so that the two cannot disagree. Only a dry run describes: the answer to a forgetting is kept for a while, and must
// not hold the words that went.

// size adds to the bytes that go.
func (s *step) size(bytes int64) { s.bytes += bytes }

// item describes something that would go. title is called in a dry run only.
func (s *step) item(kind, handle string, bytes int64, title func() string) {
	if s.e.dry {
		s.items = append(s.items,
			ledger.ForgottenItem{Kind: kind, Handle: handle, Title: s.e.shown(title()), Bytes: bytes})
	}
}

// shown makes a title safe to show: without the text that is to be forgotten, which nobody wants on a screen, and without
// secrets.
func (e *eraser) shown(title string) string {
	if e.without != nil {
		title = e.without(title)
	}
	return e.l.core.MaskedTitle(title)
}

// describe keeps the items of a step. All of a long session would be too many.
func (e *eraser) describe(items []ledger.ForgottenItem) {
	if e.items = append(e.items, items...); len(e.items) > 2*ledger.MaxForgottenItems {
		e.items = ledger.LeadingItems(e.items)
	}
}

// titleOf says what an entry is, by its calls or its first words. One whose original is a blob has only its role. What
// cannot be read has none of that, and is forgotten all the same.
func (s *step) titleOf(session string, e sessions.Stored) string {
	if len(e.Calls) > 0 {
		return aboutCall(&e.Calls[0])
	}
	if len(e.Results) > 0 {
		call, _, err := sessions.CallOf(s, session, e.Results[0].CallID)
		if err != nil || call == nil {
			return "result"
		}
		return "result of " + aboutCall(call)
	}
	who := string(e.Role)
	if who == "" {
		return string(e.Kind)
	}
	original := e.Original
	if m := e.Message; m.From >= 0 && m.To <= len(original) {
		original = transcript.MessageIn(e.Format, original, m)
	}
	m, err := transcript.Decode(e.Format, original)
	if err != nil {
		return who
	}
	if text := strings.TrimSpace(transcript.PlainText(m)); text != "" {
		return who + ": " + text
	}
	return who
}

func aboutCall(c *sessions.Call) string { return strings.TrimSpace(c.Name + " " + c.Target) }

// memory forgets a memory with all its earlier versions.
func (e *eraser) memory(ctx context.Context, name string) error {
	return e.update(ctx, func(s *step) error {
		fact, earlier, err := memory.Kept(s, e.l.core.Scope, name)
		if err != nil {
			return err
		}
		s.count(kindMemory, "")
		s.size(int64(len(fact.Body)))
		s.item(kindMemory, fact.Name, int64(len(fact.Body)), func() string {
			return cmp.Or(fact.Description, fact.Body)
		})
		for range earlier {
			s.count(kindEarlier, "")
		}
		_, err = s.memory(e.l.core.Scope, name)
		return err
	})
}
