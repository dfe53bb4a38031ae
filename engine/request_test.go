package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

// TestNothingLargerThanTheUserAllowsIsSent: a view that is larger than max_context_tokens or max_payload_bytes becomes a
// copy within them, of which nothing is recorded; what cannot become one is an error that names the setting.
func TestNothingLargerThanTheUserAllowsIsSent(t *testing.T) {
	l := openWith(t, without())
	messages := talkOf(3, 20)
	for _, id := range []string{"a", "b", "c"} {
		messages = append(messages, say("look")...)
		messages = append(messages, round(id, "Grep", map[string]any{"pattern": id}, strings.Repeat("word ", 3_000))...)
	}
	id := hand(t, l, ledger.AppendMessagesRequest{Model: "gpt-4o", Messages: messages}).Session
	view := bytes.Join(render(t, l, id), nil)
	for _, c := range []struct {
		name           string
		tokens, length int
		trimmed        bool
		refused        string
	}{
		{"nothing is bounded", 0, 0, false, ""},
		{"it fits", 20_000, 100_000, false, ""},
		{"in tokens", 5_000, 0, true, ""},
		{"in bytes", 0, 20_000, true, ""},
		{"in both", 9_000, 20_000, true, ""},
		{"without any results", 600, 0, true, ""},
		{"the words alone", 20, 0, false, "Context budget exceeded: "},
		{"the frame alone", 0, 2_049, false, "Estimated request payload of "},
	} {
		p := without()
		p.Compact.MaxContext, p.Compact.MaxPayload = c.tokens, c.length
		before := len(eventsOf[ledger.RequestTrimmed](t, l, ledger.EventTrimmed))
		asked := ledger.ViewRequest{Session: id, Reader: ledger.Reader{Policy: &p}}
		next, err := ledger.Request(t.Context(), l, asked, "")
		made := len(eventsOf[ledger.RequestTrimmed](t, l, ledger.EventTrimmed)) - before
		if c.refused != "" {
			if !fault.Is(err, fault.TooLarge) || !strings.HasPrefix(err.Error(), c.refused) || made > 0 ||
				!strings.Contains(fault.HintOf(err), "raise max_") {
				t.Errorf("%s: %v, hint %q, %d copies", c.name, err, fault.HintOf(err), made)
			}
			continue
		}
		if err != nil || (next.Trimmed != nil) != c.trimmed || (made == 1) != c.trimmed {
			t.Errorf("%s: %+v, %v, %d copies", c.name, next.Trimmed, err, made)
			continue
		}
		if err := transcript.Valid(transcript.Anthropic, next.Messages); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		size := overflow.SizeOf(next.Messages, 0)
		for _, m := range next.Messages {
			size.Tokens += counted(t, m)
		}
		if (overflow.Budget{ContextTokens: c.tokens, PayloadBytes: c.length}).Check(size) != nil {
			t.Errorf("%s: %+v is sent", c.name, size)
		}
		if got := bytes.Join(next.Messages, nil); !c.trimmed && !bytes.Equal(got, view) {
			t.Errorf("%s: another view", c.name)
		}
	}
	if got := bytes.Join(render(t, l, id), nil); !bytes.Equal(got, view) {
		t.Error("the copies changed the view")
	}
	if out := auto(t, l, of(id)); out.Trigger != "context_exceeded" {
		t.Errorf("the next evaluation: %s by %q, %s", out.Action, out.Trigger, out.Why)
	}
}

// counted counts a message as the log does.
func counted(t *testing.T, raw []byte) int {
	t.Helper()
	m, err := transcript.Decode(transcript.Anthropic, raw)
	if err != nil {
		t.Fatal(err)
	}
	n := tokens.Framing
	for _, p := range m.Parts {
		n += tokens.O200kBase.CountString(p.Text) + tokens.O200kBase.Count(p.Args)
		if p.Kind == transcript.KindCall {
			n += tokens.O200kBase.CountString(p.Name)
		}
	}
	return n
}

// TestACompactionAimsAtWhatMayBeSent: what is never sent bounds the threshold, too.
func TestACompactionAimsAtWhatMayBeSent(t *testing.T) {
	for _, c := range []struct{ most, effective, want int }{
		{0, 80_000, 80_000}, {30_000, 80_000, 30_000}, {90_000, 80_000, 80_000}, {30_000, 0, 30_000}, {0, 0, 0},
	} {
		policy := window.TriggerPolicy{MaxContext: c.most, Effective: c.effective}
		if got := policy.Usable(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
