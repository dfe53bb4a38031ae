package proxy_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// TestACompactionThatIsAskedForIsSent: one that a person or the agent has made in the ledger takes effect in the
// session that goes
// on, and no longer when it is taken back.
func TestACompactionThatIsAskedForIsSent(t *testing.T) { eachAgent(t, aCompactionThatIsAskedForIsSent) }

func aCompactionThatIsAskedForIsSent(k *talk) {
	for i := range 12 {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
		k.ask()
	}
	summary := k.compact()
	if _, err := k.ledger.Restore(k.Context(), ledger.RestoreRequest{ID: summary}); err != nil {
		k.Fatal(err)
	}
	k.ask()
	if got := messagesOf(k.T, k.ask()); len(got) != len(k.messages) {
		k.Errorf("%d of %d messages", len(got), len(k.messages))
	}
	if n := k.steps(); n != 2 {
		k.Errorf("%d steps", n)
	}
}

// TestACompactionThatTheAgentAsksForActsOnTheNextRequest: the one that brings the result of compact_conversation,
// although what
// was decided after the answer before does not have it.
func TestACompactionThatTheAgentAsksForActsOnTheNextRequest(t *testing.T) {
	eachAgent(t, aCompactionThatTheAgentAsksForActsOnTheNextRequest)
}

func aCompactionThatTheAgentAsksForActsOnTheNextRequest(k *talk) {
	for i := range 12 {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
		k.ask()
	}
	s, err := k.ledger.Session(k.Context(), k.named())
	if err != nil {
		k.Fatal(err)
	}
	made, err := ledger.Compact(k.Context(), k.ledger, ledger.PlanCompactionRequest{Session: s.ID,
		Options: compaction.Options{Reason: compaction.AgentRequested, Budget: 300}}, "", false)
	if err != nil || made.Outcome != compaction.Compacted {
		k.Fatalf("%+v, %v", made, err)
	}
	k.call("mcp__ctxledger__compact_conversation", `{}`, "compacted")
	got := messagesOf(k.T, k.ask())
	if len(got) >= len(k.messages) || !strings.Contains(string(got[1]), "[STATE OF THIS CONVERSATION") ||
		!strings.Contains(string(got[len(got)-1]), "compacted") {
		k.Errorf("%d of %d messages: %.300s", len(got), len(k.messages), got[1])
	}
	k.stop()
	if all := k.measured(); !all[len(all)-1].Reduces {
		k.Error("the ledger does not know that a proxy sends views")
	}
}

// compact has a person compact the conversation, and returns the summary, which is sent then.
func (k *talk) compact() (summary string) {
	k.Helper()
	s, err := k.ledger.Session(k.Context(), k.named())
	if err != nil {
		k.Fatal(err)
	}
	made, err := ledger.Compact(k.Context(), k.ledger, ledger.PlanCompactionRequest{Session: s.ID,
		Options: compaction.Options{Reason: "manual", Budget: 300}}, "", false)
	if err != nil || made.Outcome != compaction.Compacted {
		k.Fatalf("%+v, %v", made, err)
	}
	k.ask()
	if got := messagesOf(k.T, k.ask()); len(got) >= len(k.messages) ||
		!strings.Contains(string(got[1]), "[STATE OF THIS CONVERSATION") {
		k.Fatalf("%d of %d messages: %.300s", len(got), len(k.messages), got[1])
	}
	return made.Summary.ID
}

// TestACompactionKeepsToolsThatWereLookedFor: the model reads their definitions where a result names them, so that
// and its call
// stay behind the summary, as they were written.
func TestACompactionKeepsToolsThatWereLookedFor(t *testing.T) {
	for _, c := range []struct {
		of       speech
		messages []string
		kept     []int // of these, behind the summary
	}{
		{claude, []string{`{"role":"assistant","content":[{"type":"tool_use","id":"s1","name":"ToolSearch","input":{"query":"Task"}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"s1","content":[{"type":"tool_reference","tool_name":"TaskCreate"}]}]}`},
			[]int{0, 1}},
		{codex, []string{`{"type":"reasoning","id":"rs_s","summary":[],"encrypted_content":"gAAA"}`,
			`{"type":"tool_search_call","call_id":"s1","status":"completed","execution":"client","arguments":{"query":"Step s."}}`,
			`{"type":"function_call","call_id":"x1","name":"exec_command","arguments":"{}"}`,
			`{"type":"tool_search_output","call_id":"s1","status":"completed","execution":"client","tools":[{"type":"function","name":"f"}]}`,
			`{"type":"function_call_output","call_id":"x1","output":"found"}`}, []int{0, 1, 3}},
	} {
		k := newTalkOf(t, c.of)
		k.call("Read", `{"file_path":"/w/main.go"}`, lines(60))
		k.messages = append(k.messages, c.messages...)
		for i := range 12 {
			k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
			k.ask()
		}
		k.compact()
		got := messagesOf(t, k.ask())
		for i, at := range c.kept {
			if string(got[2+i]) != c.messages[at] {
				t.Errorf("%s: behind the summary: %s", k.host, got[2+i])
			}
		}
		if n := k.steps(); n != 1 {
			t.Errorf("%d steps", n)
		}
	}
}

// TestACompactionThatKeepsWordsAloneWaitsForACall: what it keeps cannot be found in a request yet. Until then the
// one before stays.
func TestACompactionThatKeepsWordsAloneWaitsForACall(t *testing.T) {
	k := newTalk(t)
	reads := func(n int) {
		for i := range n {
			k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
			k.ask()
		}
	}
	reads(12)
	k.compact()
	reads(12)
	for range 3 {
		k.messages = append(k.messages,
			`{"role":"assistant","content":[{"type":"text","text":`+quoted(lines(2000))+`}]}`,
			`{"role":"user","content":"Go on."}`)
	}
	before := messagesOf(t, k.ask())
	s, err := k.ledger.Session(t.Context(), k.named())
	if err != nil {
		t.Fatal(err)
	}
	made, err := ledger.Compact(t.Context(), k.ledger, ledger.PlanCompactionRequest{Session: s.ID,
		Options: compaction.Options{Reason: "manual", Budget: 300}}, "", false)
	if err != nil || made.Outcome != compaction.Compacted {
		t.Fatalf("%+v, %v", made, err)
	}
	for range 2 {
		if got := messagesOf(t, k.ask()); len(got) != len(before) || !bytes.Equal(got[1], before[1]) {
			t.Fatalf("%d messages, %d before: %.300s", len(got), len(before), got[1])
		}
	}
	reads(2)
	if got := messagesOf(t, k.ask()); len(got) >= len(before) || bytes.Equal(got[1], before[1]) {
		t.Errorf("%d messages, %d before: %.300s", len(got), len(before), got[1])
	}
}

// TestACompactionThatCannotBeSentLeavesTheOneBefore: behind it is what a provider would refuse, so the view stays
// what it is.
func TestACompactionThatCannotBeSentLeavesTheOneBefore(t *testing.T) {
	k := newTalk(t)
	reads := func(n int) {
		for i := range n {
			k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
			k.ask()
		}
	}
	reads(12)
	k.compact()
	reads(12)
	k.messages = append(k.messages,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}`,
		`{"role":"user","content":"Go on."}`)
	before := messagesOf(t, k.ask())
	k.compact()
	if got := messagesOf(t, k.ask()); len(got) < len(before) || !bytes.Equal(got[1], before[1]) {
		t.Errorf("%d messages, %d before: %.300s", len(got), len(before), got[1])
	}
}

// TestWordsThatAreSaidAgainMoveNoCut: what a compaction keeps begins with a call; a later answer with the same words
// is another
// one, and nothing before it goes.
func TestWordsThatAreSaidAgainMoveNoCut(t *testing.T) {
	k := newTalk(t)
	for i := range 12 {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(60))
		k.ask()
	}
	k.compact()
	said := regexp.MustCompile(`Step \d+\.`).FindString(string(messagesOf(t, k.ask())[2]))
	k.call("Read", `{"file_path":"/w/again.go"}`, lines(60))
	last := len(k.messages) - 2
	k.messages[last] = regexp.MustCompile(`Step \d+\.`).ReplaceAllString(k.messages[last], said)
	k.ask()
	if n := k.steps(); n != 1 || said == "" {
		t.Errorf("%d steps behind %q", n, said)
	}
}

// TestACompactionTakesThePlaceOfOldMessages: the first message stays, a summary follows, then what is kept; another
// proxy goes
// on with it, and nothing is left of it when the agent has compacted its conversation itself.
func TestACompactionTakesThePlaceOfOldMessages(t *testing.T) {
	eachAgent(t, aCompactionTakesThePlaceOfOldMessages)
}

func aCompactionTakesThePlaceOfOldMessages(k *talk) {
	for i := range 20 {
		k.call("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), lines(500))
		k.ask()
	}
	k.stop()
	k.start()
	k.call("Read", `{"file_path":"/w/last.go"}`, "package last")
	got := messagesOf(k.T, k.ask())
	if len(got) >= len(k.messages)*3/4 || string(got[0]) != k.messages[0] || // Gemini's window is larger
		!strings.Contains(string(got[1]), "[STATE OF THIS CONVERSATION") {
		k.Fatalf("%d of %d messages: %.300s", len(got), len(k.messages), got[1])
	}
	if n := k.steps(); n == 0 || n > 4 {
		k.Errorf("%d steps", n)
	}
	k.start()
	k.source, k.written = "compacted", 0
	continued := "This session is being continued: the summary."
	k.messages = []string{string(transcript.NewMessage(k.format, transcript.RoleUser, continued))}
	k.ask()
	k.call("Read", `{"file_path":"/w/new.go"}`, "package new")
	if last := k.ask(); last != k.bodies[len(k.bodies)-1] {
		k.Errorf("a new conversation is sent as %s", last)
	}
}
