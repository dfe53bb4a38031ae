package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
	"ctxledger.dev/window/overflow"
)

func TestModeAutoCompactsOnlyWhatIsDue(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	session := f.shop(t)
	// Too early, and nothing is handed in: the answer says so, and nothing changes.
	small, _ := do[compactResult](t, c, "compact_conversation", args{"messages": talk(5), "dry_run": true})
	early, text := do[compactResult](t, c, "compact_conversation",
		args{"session": small.Session, "mode": "auto", "model": "gpt-4.1"})
	if early.Status != "nothing_to_do" || early.Reason != window.NotYet || early.SummaryID != "" {
		t.Errorf("%+v", early)
	}
	contains(t, text, window.NotYet)
	// A window that the session overflows.
	due, _ := do[compactResult](t, c, "compact_conversation",
		args{"session": session, "mode": "auto", "model": "gpt-4"})
	if due.Status != "compacted" || due.SummaryID == "" || due.Summary == "" {
		t.Fatalf("%+v", due)
	}
	// In the turn after it, the last compaction stands.
	again, _ := do[compactResult](t, c, "compact_conversation",
		args{"session": session, "mode": "auto", "model": "gpt-4"})
	if again.Status != "nothing_to_do" || !strings.Contains(again.Reason, due.SummaryID) ||
		again.SummaryID != due.SummaryID || again.Summary != "" {
		t.Errorf("%+v", again)
	}
	// It did compact 3,097 tokens in a window of 128,000, three times in one turn.
	for range 3 {
		r, _ := do[compactResult](t, c, "compact_conversation",
			args{"messages": talk(7), "mode": "auto", "model": "gpt-4o", "budget_tokens": 500})
		if r.Status != statusNothing || r.Reason != window.NotYet {
			t.Errorf("a small conversation with a budget: %+v", r)
		}
	}
	planned, _ := do[compactResult](t, c, "compact_conversation",
		args{"messages": talk(20), "mode": "auto", "model": "gpt-4", "keep_turns": 2, "dry_run": true})
	if planned.Status != "staged" {
		t.Errorf("a plan: %+v", planned)
	}
	handed, _ := do[compactResult](t, c, "compact_conversation",
		args{"messages": talk(20), "mode": "auto", "model": "gpt-4", "keep_turns": 2, "return": "splice"})
	if handed.Status != "compacted" || handed.Splice == nil || handed.Splice.To != 18*4 {
		t.Errorf("handed in: %+v", handed)
	}
	other := talk(31)[4:] // with the first turn it would go on with the conversation above
	sameBytes := callRaw(t, f,
		`{"messages":`+string(array(other))+`,"mode":"auto","keep_turns":2,"return":"messages","model":"gpt-4"}`)
	contains(t, sameBytes, `"status":"compacted"`, `"messages":[`, string(other[29*4]))
}

func TestAProvidersRefusalIsRecoveredFrom(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	conversation := talk(30)
	a := args{"messages": conversation, "model": "gpt-4", "error": "prompt is too long: 20000 tokens > 7000 maximum"}
	first, text := do[compactResult](t, c, "compact_conversation", a)
	if first.Status != "nothing_to_do" || len(first.Messages) != len(conversation) ||
		!strings.Contains(string(first.Messages[2]), "[cleared") || first.Delivery == "" {
		t.Fatalf("edits suffice: %+v", first)
	}
	if err := transcript.Valid(transcript.Anthropic, rawBytes(first.Messages)); err != nil {
		t.Error(err)
	}
	contains(t, first.Reason, "prompt_overflow", "send the view again, once", "by 27 edits")
	st, _ := do[statusResult](t, c, "context_status", args{"session": first.Session, "model": "gpt-4"})
	if st.Window != 7_000 {
		t.Errorf("the window is %d", st.Window)
	}
	// The retry fails too: a trimmed copy, and then nothing more.
	var exact compactResult // the text has the bytes, which the structured form re-encodes
	if err := json.Unmarshal([]byte(text), &exact); err != nil {
		t.Fatal(err)
	}
	a["messages"] = exact.Messages
	second, _ := do[compactResult](t, c, "compact_conversation", a)
	if second.Session != first.Session || !strings.Contains(second.Delivery, "trimmed copy") ||
		len(second.Messages) == 0 {
		t.Fatalf("%+v", second)
	}
	third, _ := do[compactResult](t, c, "compact_conversation", a)
	if third.Status != "refused" || !strings.Contains(third.Reason, overflow.GaveUp) {
		t.Errorf("%+v", third)
	}
	// Where edits do not suffice, a compaction follows.
	var words []json.RawMessage
	for i := range 40 {
		words = append(words,
			transcript.NewMessage(transcript.OpenAIChat, transcript.RoleUser, fmt.Sprint("request ", i)),
			transcript.NewMessage(transcript.OpenAIChat, transcript.RoleAssistant,
				strings.Repeat("an answer of many words. ", 50)))
	}
	r, _ := do[compactResult](t, c, "compact_conversation", args{"messages": words, "format": "openai_chat",
		"model": "gpt-4", "error": "prompt is too long: 10000 tokens > 7000 maximum"})
	if r.Status != "compacted" || len(r.Messages) >= len(words) ||
		!strings.Contains(strings.Join(r.Warnings, " "), "send the view again, once") {
		t.Errorf("%+v", r)
	}
	none, _ := do[compactResult](t, c, "compact_conversation",
		args{"messages": talk(3), "error": `{"error":{"message":"Rate limit reached"}}`})
	if none.Status != "nothing_to_do" || !strings.Contains(none.Reason, "show the error unchanged") ||
		none.Messages != nil {
		t.Errorf("%+v", none)
	}
	for what, bad := range map[string]args{
		"a plan":   {"messages": talk(3), "error": "prompt is too long", "dry_run": true},
		"a splice": {"messages": talk(3), "error": "prompt is too long", "return": "splice"},
		"too long": {"messages": talk(3), "error": strings.Repeat("x", maxError+1)},
	} {
		if text := refused(t, c, "compact_conversation", bad); !strings.Contains(text, "error") {
			t.Errorf("%s: %s", what, text)
		}
	}
}
