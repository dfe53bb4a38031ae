package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// talk returns an Anthropic conversation of n turns, each a request, a call, its result and an
// answer. The JSON is spelled oddly on purpose: white space, escapes and characters that encoders
// like to change.
func talk(n int) []json.RawMessage {
	var out []json.RawMessage
	for i := range n {
		filler := strings.Repeat(fmt.Sprintf("line %d of <file> & more\\n", i), 40)
		for _, m := range []string{
			fmt.Sprintf(`{"role": "user",  "content":"request %d: a < b && c > d, \u00fcber \/ slash"}`, i),
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"src/f%d.go" }}]}`, i, i),
			fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]}`, i,
				filler),
			fmt.Sprintf(`{ "content":"answer %d" ,"role":"assistant"}`, i),
		} {
			out = append(out, json.RawMessage(m))
		}
	}
	return out
}

// array joins messages into a JSON array.
func array(ms []json.RawMessage) json.RawMessage {
	return append(append([]byte("[ "), bytes.Join(rawBytes(ms), []byte(" ,\n"))...), ']')
}

func TestCompactHandsOutEachShapeOfReturn(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		session := f.shop(t)
		before, err := ledger.Messages(t.Context(), f.local, ledger.ViewRequest{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		shapes := map[string]compactResult{}
		for _, shape := range []string{"receipt", "summary", "splice", "messages", ""} {
			a := args{"session": session, "dry_run": true}
			if shape != "" {
				a["return"] = shape
			}
			r, text := do[compactResult](t, c, "compact_conversation", a)
			shapes[shape] = r
			if r.Status != "staged" || r.SummaryID != "" || !strings.Contains(r.Reason, "dry run") {
				t.Errorf("%s: status %q, reason %q, summary_id %q of a dry run", shape, r.Status, r.Reason, r.SummaryID)
			}
			if r.Before.N <= r.After.N || r.Before.Upper < r.Before.N || r.CutTotal == 0 {
				t.Errorf("%s: %v → %v tokens, %d cut", shape, r.Before, r.After, r.CutTotal)
			}
			if (r.Summary != "") != (shape == "summary") ||
				(r.Cut != nil) != (shape == "summary" || shape == "") || (r.Splice != nil) != (shape == "splice") ||
				(r.Messages != nil) != (shape == "messages") {
				t.Errorf("%s: has what another shape has", shape)
			}
			if shape == "receipt" && (count(plainJSON(r)) > 150 || count(text) > 150) {
				t.Errorf("the receipt has %d tokens as JSON and %d as text, more than 150", count(plainJSON(r)),
					count(text))
			}
		}
		if n := count(shapes["summary"].Summary); n > summaryBudget || n == 0 {
			t.Errorf("the summary has %d tokens, the budget is %d", n, summaryBudget)
		}
		if n := len(shapes["summary"].Cut); n == 0 || n > maxCut {
			t.Errorf("%d things are listed as cut", n)
		}
		if whole := shapes["summary"]; count(plainJSON(shapes[""])) > 1000 ||
			!slices.Equal(shapes[""].Cut, whole.Cut) {
			t.Errorf("a plan is %s, of %s", plainJSON(shapes[""]), plainJSON(whole))
		}
		s := shapes["splice"].Splice
		spliced := append([]json.RawMessage{s.Message}, tailOf(before.Messages, s.To)...)
		if s.From != 0 || !sameMessages(spliced, shapes["messages"].Messages) {
			t.Error("the splice, applied to the view, does not give the messages")
		}
		if err := transcript.Valid(transcript.Anthropic, rawBytes(spliced)); err != nil {
			t.Errorf("the spliced view is not valid for the provider: %v", err)
		}
	})
}

// tailOf returns the messages of a view from an index on.
func tailOf(view []ledger.ViewMessage, from int) []json.RawMessage {
	var out []json.RawMessage
	for _, m := range view[from:] {
		out = append(out, m.JSON)
	}
	return out
}

// sameMessages compares messages as JSON values.
func sameMessages(a, b []json.RawMessage) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		var x, y any
		if json.Unmarshal(a[i], &x) != nil || json.Unmarshal(b[i], &y) != nil || plainJSON(x) != plainJSON(y) {
			return false
		}
	}
	return true
}

func TestCompactedSessionIsReadBackThroughItsHandle(t *testing.T) {
	f := newFixture(t, nil)
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	r, text := do[compactResult](t, c, "compact_conversation",
		args{"session": session, "notes": "goal: ship the report"})
	if r.Status != "compacted" || r.SummaryID == "" || r.Session != session {
		t.Fatalf("result %+v", r)
	}
	contains(t, r.Delivery, "new chat", "`resume`")
	contains(t, r.Summary, "ship the report")
	contains(t, text, "summary "+r.SummaryID, r.Summary)
	for _, x := range r.Cut {
		do[pageResult](t, c, "read_artifact", args{"id": x.ID, "head": 1})
	}
	page, _ := do[pageResult](t, c, "read_artifact", args{"id": r.SummaryID})
	contains(t, page.Text, "always keep prices in cents")
	again, _ := do[compactResult](t, c, "compact_conversation", args{"session": session})
	if again.Status != "nothing_to_do" || again.Reason == "" {
		t.Errorf("compacted again at once: %+v", again)
	}
}

func TestMessagesReachTheLedgerAndComeBackByteForByte(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, _ *client.Client) {
		conversation := talk(20)
		r := callRaw(t, f, `{"messages":`+string(array(conversation))+`,"keep_turns":2,"return":"messages"}`)
		var text struct {
			Session  string            `json:"session"`
			Messages []json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal([]byte(r), &text); err != nil {
			t.Fatalf("%v in %s", err, r)
		}
		var log bytes.Buffer
		if _, err := ledger.WriteOriginals(t.Context(), f.local, &log, text.Session, 1, 0); err != nil {
			t.Fatal(err)
		}
		if want := append(bytes.Join(rawBytes(conversation), []byte("\n")), '\n'); !bytes.Equal(want, log.Bytes()) {
			t.Errorf("the ledger holds other bytes than were handed in:\n%.600s", log.Bytes())
		}
		kept := text.Messages[1:]
		want := conversation[len(conversation)-len(kept):]
		if len(kept) == 0 || !bytes.Equal(bytes.Join(rawBytes(want), nil), bytes.Join(rawBytes(kept), nil)) {
			t.Errorf("%d messages came back, not the last ones byte for byte", len(kept))
		}
		// Handed back with something new, the conversation is known again: its session continues.
		next := append(text.Messages, json.RawMessage(`{"role":"user","content":"go on"}`))
		contains(t, callRaw(t, f, `{"messages":`+string(array(next))+`}`), "session "+text.Session)
	})
}

// callRaw calls compact_conversation with arguments as bytes and returns the text of the answer.
func callRaw(t *testing.T, f *fixture, arguments string) string {
	t.Helper()
	r := tryRaw(t, f, arguments)
	if r.IsError {
		t.Fatalf("%.2000s", r.Content[0].Text)
	}
	return r.Content[0].Text
}

// rawResult is the result of a call as a line of the protocol has it.
type rawResult struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// tryRaw calls compact_conversation with arguments in their exact bytes, which the envelope would not all let pass.
func tryRaw(t *testing.T, f *fixture, arguments string) rawResult {
	t.Helper()
	c := f.Connect(nil)
	raw := c.answer(c.Context(t.Context()), message{id: json.RawMessage("1"), method: "tools/call",
		params: json.RawMessage(`{"name":"compact_conversation","arguments":` + arguments + `}`)})
	var answer struct {
		Result rawResult `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Result.Content) != 1 {
		t.Fatalf("%v in %.2000s", err, raw)
	}
	return answer.Result
}

func TestSpliceCountsInTheMessagesHandedIn(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	conversation := talk(20)
	r, _ := do[compactResult](t, c, "compact_conversation",
		args{"messages": conversation, "keep_turns": 3, "return": "splice"})
	if r.Splice == nil || r.Splice.From != 0 || r.Splice.To != 17*4 {
		t.Fatalf("splice %+v, want [0,68)", r.Splice)
	}
	mine := append([]json.RawMessage{r.Splice.Message}, conversation[r.Splice.To:]...)
	// The caller continues with its spliced list and hands in only new messages.
	r, _ = do[compactResult](t, c, "compact_conversation", args{
		"session": r.Session, "since": talk(24)[20*4:], "keep_turns": 1, "return": "splice", "budget_tokens": 1500,
	})
	mine = append(mine, talk(24)[20*4:]...)
	if r.Status != "compacted" || r.Splice == nil || r.Splice.To != len(mine)-4 {
		t.Fatalf("%s: splice %+v of %d messages", r.Reason, r.Splice, len(mine))
	}
	contains(t, string(r.Splice.Message), "request 0", "request 22")
}

func TestSameRequestIDGetsTheSameAnswer(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	a := args{"messages": talk(20), "keep_turns": 2, "return": "splice", "request_id": "r1"}
	first := try(t, c, "compact_conversation", a)
	second := try(t, c, "compact_conversation", a)
	if textOf(t, first) != textOf(t, second) {
		t.Errorf("answers differ:\n%s\n%s", textOf(t, first), textOf(t, second))
	}
	if list, err := f.local.Sessions(t.Context(), ledger.SessionsRequest{}); err != nil || list.Total != 1 {
		t.Errorf("%d sessions, %v", list.Total, err)
	}
	a["notes"] = "something else"
	contains(t, refused(t, c, "compact_conversation", a), "conflict:", "request_id")
}

func TestCompactRefusesWhatIsNotBuilt(t *testing.T) {
	f := newFixture(t, nil)
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	for mode, want := range map[string]string{"llm": "no model", "hybrid": "no model", "lossless": "evidence store"} {
		r, _ := do[compactResult](t, c, "compact_conversation", args{"session": session, "mode": mode})
		if r.Status != "refused" || !strings.Contains(r.Reason, want) || !strings.Contains(r.Reason, "intent") ||
			!strings.Contains(r.Reason, "Nothing was changed") {
			t.Errorf("mode %s: %+v", mode, r)
		}
	}
	for _, x := range []struct {
		name string
		a    args
		want []string
	}{
		{"another format", args{"messages": talk(1), "format": "openai"},
			[]string{"invalid:", `"format"`, "anthropic", "hint:"}},
		{"an unknown mode", args{"session": session, "mode": "magic"}, []string{"invalid:", `"mode"`, "intent"}},
		{"messages and since", args{"session": session, "messages": talk(1), "since": talk(1)},
			[]string{"invalid:", `"messages"`, `"since"`}},
		{"since without a session", args{"since": talk(1)}, []string{"invalid:", `"session"`, "hint:"}},
		{"notes that are too long", args{"session": session, "notes": strings.Repeat("x", limits.Notes+1)},
			[]string{"too_large:", `"notes"`, "4096"}},
		{"no messages", args{"messages": []string{}}, []string{"invalid:", "no messages"}},
		{"a message that is a string", args{"messages": []string{"hello"}}, []string{"invalid:", "message 0"}},
		{"a message without a role", args{"messages": []any{map[string]any{"content": "x"}}},
			[]string{"invalid:", "message"}},
		{"an unknown session", args{"session": "ffffffff"}, []string{"not_found:", "ffffffff"}},
		{"a negative budget", args{"session": session, "budget_tokens": -1}, []string{"invalid:", `"budget_tokens"`}},
		{"a pin that is not there", args{"session": session, "pin": []string{"0123456789abcdef0123456789abcdef"}},
			[]string{"not_found:"}},
		{"a long request id", args{"session": session, "request_id": strings.Repeat("x", 101)},
			[]string{"too_large:", `"request_id"`}},
	} {
		t.Run(x.name, func(t *testing.T) {
			contains(t, refused(t, c, "compact_conversation", x.a), x.want...)
		})
	}
	if list, err := f.local.Sessions(t.Context(), ledger.SessionsRequest{}); err != nil || list.Total != 1 {
		t.Errorf("refused requests left %d sessions, %v", list.Total, err)
	}
}

func TestWindowModeCompactsToABudgetOfTheWholeView(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	r, _ := do[compactResult](t, c, "compact_conversation", args{
		"messages": talk(30), "mode": "window", "budget_tokens": 6000, "return": "messages", "model": "gpt-4o",
	})
	if r.Status != "compacted" || r.After.N > 6000 || !r.After.Exact {
		t.Errorf("%s %s: %v → %v", r.Status, r.Reason, r.Before, r.After)
	}
	if err := transcript.Valid(transcript.Anthropic, rawBytes(r.Messages)); err != nil {
		t.Error(err)
	}
}

func TestACompactionThatStandsIsHandedOutInAnyShape(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		handed := args{"messages": talk(30)}
		first, _ := do[compactResult](t, c, "compact_conversation", handed)
		if first.Status != "compacted" {
			t.Fatalf("status %q: %s", first.Status, first.Reason)
		}
		for _, shape := range []string{"summary", "splice", "messages", "receipt"} {
			handed["return"] = shape
			r, text := do[compactResult](t, c, "compact_conversation", handed)
			if r.Status != "nothing_to_do" || r.SummaryID != first.SummaryID {
				t.Errorf("%s: status %q of summary %q, want nothing_to_do of %q", shape, r.Status, r.SummaryID,
					first.SummaryID)
			}
			switch shape {
			case "summary", "receipt":
				if r.Summary != "" || strings.Contains(text, "\n") {
					t.Errorf("more than one line: %s", text)
				}
			case "splice":
				if r.Splice == nil || r.Splice.From != 0 || r.Splice.To == 0 || r.Splice.To >= 120 {
					t.Errorf("splice %+v", r.Splice)
				}
			case "messages":
				if len(r.Messages) == 0 || len(r.Messages) >= 120 {
					t.Errorf("%d messages of 120", len(r.Messages))
				}
			}
		}
	})
}

func TestOnlyTheRolesOfAnAnthropicConversationAreTaken(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	for _, role := range []string{"system", "robot", ""} {
		m := append([]json.RawMessage{json.RawMessage(`{"role":"` + role + `","content":"be terse"}`)}, talk(3)...)
		text := refused(t, c, "compact_conversation", args{"messages": m, "format": "anthropic"})
		contains(t, text, "message 1")
	}
	list, err := f.local.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || list.Total != 0 {
		t.Errorf("%d sessions were begun by refused messages (%v)", list.Total, err)
	}
}

// A host that sends what it gets back has old reads cut when that pays, without any compaction, and what
// it hands back then is known again.
func TestAHostThatSendsTheViewGetsTheEditsThatPay(t *testing.T) {
	f := newFixture(t, nil)
	text := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	conversation := []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"change a.go"}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"a.go"}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":` +
			text(strings.Repeat("some words ", 3000)) + `}]}`),
		json.RawMessage(`{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"Write","input":{"file_path":"a.go","content":"x"}}]}`),
		json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"ok"}]}`),
		json.RawMessage(`{"role":"assistant","content":"Done."}`),
		json.RawMessage(`{"role":"user","content":"Thanks. Go on."}`),
	}
	ask := func(messages []json.RawMessage) (r struct {
		Status, Reason, Session string
		Messages                []json.RawMessage
	}) {
		answer := callRaw(t, f, `{"messages":`+string(array(messages))+`,"return":"messages"}`)
		if err := json.Unmarshal([]byte(answer), &r); err != nil {
			t.Fatalf("%v in %s", err, answer)
		}
		return r
	}
	r := ask(conversation)
	if r.Status != "nothing_to_do" || len(r.Messages) != len(conversation) ||
		!strings.Contains(string(r.Messages[2]), "chars elided — file was written") {
		t.Fatalf("%+v", r)
	}
	contains(t, r.Reason, "cuts ")
	for i, m := range r.Messages {
		if i != 2 && !bytes.Equal(m, conversation[i]) {
			t.Errorf("message %d changed: %s", i, m)
		}
	}
	again := ask(append(r.Messages, json.RawMessage(`{"role":"assistant","content":"On it."}`)))
	if again.Session != r.Session ||
		!bytes.Equal(bytes.Join(rawBytes(again.Messages[:7]), nil), bytes.Join(rawBytes(r.Messages), nil)) {
		t.Errorf("handed back: session %s after %s, %d messages", again.Session, r.Session, len(again.Messages))
	}
}
