package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// openAgents opens a new ledger with policies of its agents.
func openAgents(t *testing.T, agents map[string]window.Policy) *engine.Local {
	t.Helper()
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
		Settings: engine.Settings{Agents: agents}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// viewOf returns the view of a reader as one text.
func viewOf(t *testing.T, l *engine.Local, session string, r ledger.Reader) string {
	t.Helper()
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: session, Reader: r})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, m := range v.Messages {
		b.Write(m.JSON)
		b.WriteByte('\n')
	}
	return b.String()
}

// A view is that of the agent that is named, else of the session's host; and a policy may come with the call.
func TestAgentsHavePoliciesOfTheirOwn(t *testing.T) {
	one, two, three := window.Default(), window.Default(), window.Default()
	one.Messages, one.Exact, two.Messages, two.Exact, three.Messages, three.Exact = 1, true, 2, true, 3, true
	l := openAgents(t, map[string]window.Policy{"tester": one, "mcp": two})
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("the task", "a", "b", "c", "d", "e")}).Session
	for _, c := range []struct {
		reader ledger.Reader
		want   int // messages, the first request among them
	}{
		{ledger.Reader{}, 3}, {ledger.Reader{Agent: "Tester"}, 2}, {ledger.Reader{Agent: "nobody"}, 3},
		{ledger.Reader{Agent: "tester", Policy: &three}, 4},
	} {
		if got := strings.Count(viewOf(t, l, id, c.reader), "\n"); got != c.want {
			t.Errorf("%+v: %d messages, want %d", c.reader, got, c.want)
		}
	}
	wrong := window.Default()
	wrong.Messages = -1
	_, err := l.View(t.Context(), ledger.ViewRequest{Session: id, Reader: ledger.Reader{Policy: &wrong}})
	wantCode(t, err, fault.Invalid)
}

// An agent has one policy and one view by all of its names.
func TestAnAgentHasOneViewByAllItsNames(t *testing.T) {
	tight := window.Default()
	tight.ResultChars = 2_000
	l := openAgents(t, map[string]window.Policy{"gemini": tight})
	messages := append(say("look"), round("c1", "Grep", map[string]any{"pattern": "x"},
		strings.Repeat("word ", 2_000))...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages, say("", "done")[1:]...)}).Session
	made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reader: ledger.Reader{Agent: "gemini-cli"},
		Reason: "manual"})
	if err != nil || len(made.Edits) != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	whole := viewOf(t, l, id, ledger.Reader{})
	for _, name := range []string{"gemini-cli", "gemini", "Gemini CLI"} {
		if viewOf(t, l, id, ledger.Reader{Agent: name}) == whole {
			t.Errorf("%s does not see the edit", name)
		}
	}
}

// An edit that is made for one agent changes the views of no other.
func TestEditsOfAnAgentAreItsOwn(t *testing.T) {
	tight := window.Default()
	tight.ResultChars = 2_000
	l := openAgents(t, map[string]window.Policy{"tester": tight})
	messages := append(say("look"), round("c1", "Grep", map[string]any{"pattern": "x"},
		strings.Repeat("word ", 2_000))...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(messages, say("", "done")[1:]...)}).Session
	before := viewOf(t, l, id, ledger.Reader{})

	tester := ledger.Reader{Agent: "Tester"}
	made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Reader: tester, Reason: "manual"})
	if err != nil || len(made.Edits) != 1 || made.Edits[0].Pass != "result_cap" {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := viewOf(t, l, id, ledger.Reader{}); got != before {
		t.Error("the session's own view changed")
	}
	if got := viewOf(t, l, id, tester); !strings.Contains(got, "omitted to reduce context size") {
		t.Errorf("the tester's view: %.300s", got)
	}
	if again, err := l.EditView(t.Context(),
		ledger.EditViewRequest{Session: id, Reader: tester, Reason: "manual"}); err != nil || len(again.Edits) > 0 {
		t.Errorf("a second step: %+v, %v", again, err)
	}
}

// The warning comes once in ten turns, for each agent.
func TestTheCapIsWarnedOfOnceInTenTurns(t *testing.T) {
	p := window.Default()
	p.Messages, p.CapFraction = 10, 0.5
	l := openAgents(t, map[string]window.Policy{"tester": p, "mcp": p})
	var session string
	warned := map[string]int{}
	for turn := range 23 {
		resp := hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: turn > 0,
			Messages: say("ask", "answer")})
		session = resp.Session
		for _, agent := range []string{"", "tester"} {
			if _, err := l.EditView(t.Context(),
				ledger.EditViewRequest{Session: session, Reader: ledger.Reader{Agent: agent}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range log(t, l, session) {
		if e.Kind == sessions.KindDecision && bytes.Contains(e.Data, []byte(`"context_cap_warning"`)) {
			warned[fmt.Sprint(bytes.Contains(e.Data, []byte("tester")))]++
			if !bytes.Contains(e.Data, []byte(`"cap":10,"fraction":0.5`)) {
				t.Errorf("%s", e.Data)
			}
		}
	}
	if warned["true"] != 3 || warned["false"] != 3 { // in turns 3, 13 and 23
		t.Errorf("warnings: %v", warned)
	}
}

// What a filter leaves out is reported when that changes.
func TestWhatAFilterLeavesOutIsTold(t *testing.T) {
	p := window.Default()
	p.Messages = 4
	l := openAgents(t, map[string]window.Policy{"mcp": p})
	var session string
	for turn := range 8 {
		session = hand(t, l, ledger.AppendMessagesRequest{Session: session, Since: turn > 0,
			Messages: say("ask", "answer")}).Session
		for range 2 {
			if _, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: session}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var told []string
	for _, e := range log(t, l, session) {
		if e.Kind == sessions.KindDecision && bytes.Contains(e.Data, []byte(`"view_filtered"`)) {
			told = append(told, string(e.Data))
		}
	}
	if len(told) < 3 || len(told) > 6 ||
		!strings.Contains(told[0], `"messages_before":6,"messages_after":5,"tail":1,"pinned":1`) {
		t.Errorf("%d: %s", len(told), strings.Join(told, "\n"))
	}
}

// What is evicted is read back by the handle beneath its marker; the manifest follows it, is handed back
// like everything else, and the ledger knows it again.
func TestInvariant2EvictedResultsAreReadBackByTheirHandles(t *testing.T) {
	p := window.Default()
	p.Evict = window.EvictPolicy{MaxTokens: 20_000, Window: 3}
	l := openWith(t, p)
	messages := say("look")
	for i := range 14 {
		messages = append(messages, round(fmt.Sprint("c", i), "Grep", map[string]any{"pattern": fmt.Sprint("p", i)},
			fmt.Sprint(i, strings.Repeat(" word", 3_000)))...)
	}
	messages = append(messages, say("", "done", "on")[1:]...)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: messages}).Session
	made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id})
	if err != nil || made.Reason != "asked" {
		t.Fatalf("%+v, %v", made, err)
	}
	view, evicted, manifests := render(t, l, id), 0, 0
	for i, m := range view {
		if bytes.Contains(m, []byte(`[Context Manifest]`)) {
			manifests++
		}
		_, rest, found := strings.Cut(string(m), `\nArtifact: `)
		if !found {
			continue
		}
		handle, _, _ := strings.Cut(rest, `"`)
		page, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: handle})
		if err != nil || !strings.HasPrefix(page.Text, fmt.Sprint((i-2)/2, " word word")) {
			t.Errorf("handle %s: %.80q, %v", handle, page.Text, err)
		}
		evicted++
	}
	if evicted < 8 || manifests != 1 {
		t.Fatalf("%d results are evicted, %d manifests are shown", evicted, manifests)
	}
	before := len(log(t, l, id))
	resp := hand(t, l, ledger.AppendMessagesRequest{Messages: append(view, say("", "go on")[1])})
	if resp.Session != id || len(log(t, l, id)) != before+1 {
		t.Errorf("session %s of %d entries went on as %s with %d", id, before, resp.Session,
			len(log(t, l, resp.Session)))
	}
	if st := status(t, l, id); st.Used.N < made.TokensAfter.N || st.Used.N > made.TokensAfter.N+20 {
		t.Errorf("the step says %d tokens, the status %d", made.TokensAfter.N, st.Used.N)
	}
}
