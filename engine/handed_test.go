package engine_test

import (
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// A handoff is a message in the views of the agent that receives it, under any of its names, at the point where it was handed
// over, and in no other agent's views. It never comes between a call and its result, and each request stays a prefix of the
// next one.
func TestAHandoffIsInTheViewsOfWhoGetsIt(t *testing.T) {
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e, Settings: engine.Settings{
		Given: spec.Spec{Agents: []spec.Agent{{Name: "Tester", KnownAs: []string{"test-runner"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	const handed = "[HANDOFF CONTEXT — assembled for Tester]\n\n## Goal\nUsers."
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("the task", "built")}).Session
	keep := func(to, text string) {
		t.Helper()
		if _, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Session: id, Notes: sessions.Notes{
			Kind: sessions.NotesHandoff, Agent: "Developer", To: to, Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	keep("Tester", handed)
	tester := ledger.Reader{Agent: "test-runner"}
	for _, c := range []struct {
		reader ledger.Reader
		want   int
	}{{tester, 1}, {ledger.Reader{Agent: "Tester"}, 1}, {ledger.Reader{}, 0}, {ledger.Reader{Agent: "Developer"}, 0}} {
		if got := strings.Count(viewOf(t, l, id, c.reader), "HANDOFF"); got != c.want {
			t.Errorf("%+v sees it %d times, want %d", c.reader, got, c.want)
		}
	}
	// A host that keeps the view and hands it in goes on with the same session.
	v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: id, Reader: tester})
	if err != nil || len(v.Messages) != 3 || !strings.Contains(string(v.Messages[2].JSON), "Users.") {
		t.Fatalf("%+v, %v", v.Messages, err)
	}
	var kept [][]byte
	for _, m := range v.Messages {
		kept = append(kept, m.JSON)
	}
	calls := round("c1", "Bash", map[string]any{"command": "go test"}, "ok")
	now := hand(t, l, ledger.AppendMessagesRequest{Messages: append(kept, say("test it")[0], calls[0])})
	if now.Session != id || now.Added != 2 {
		t.Errorf("the view with two more messages is %+v", now)
	}
	keep("Tester", strings.ReplaceAll(handed, "Users", "Pages")) // while a call is under way
	before := viewOf(t, l, id, tester)
	if strings.Contains(before, "Pages") {
		t.Errorf("it stands between a call and its result: %s", before)
	}
	hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Messages: [][]byte{calls[1]}})
	after := viewOf(t, l, id, tester)
	if !strings.HasPrefix(after, before) || !strings.HasSuffix(strings.TrimSpace(after), "Pages.\"}") {
		t.Errorf("first %s\nthen %s", before, after)
	}
	for _, reader := range []ledger.Reader{tester, {}} {
		v, err := ledger.Messages(t.Context(), l, ledger.ViewRequest{Session: id, Reader: reader})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		var raws [][]byte
		for _, m := range v.Messages {
			sum += m.Tokens
			raws = append(raws, m.JSON)
		}
		if err := transcript.Valid(transcript.Anthropic, raws); err != nil || sum != v.Tokens.N && v.Tokens.Exact {
			t.Errorf("%+v: %v, %d tokens of %v", reader, err, sum, v.Tokens)
		}
	}
}

// The policy of an agent is found by the names that hosts have for it.
func TestAPolicyIsFoundByTheNamesOfHosts(t *testing.T) {
	p := window.Default()
	p.TextOnly = true
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e, Settings: engine.Settings{
		Agents: map[string]window.Policy{"tester": p},
		Given:  spec.Spec{Agents: []spec.Agent{{Name: "Tester", KnownAs: []string{"test-runner", "mcp"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	id := hand(t, l, ledger.AppendMessagesRequest{Host: "mcp", Messages: append(append(say("go"),
		round("c1", "Bash", map[string]any{"command": "ls"}, "a.go")...), say("", "done")[1:]...)}).Session
	for agent, calls := range map[string]bool{"test-runner": false, "": false, "tester": false} {
		if got := viewOf(t, l, id, ledger.Reader{Agent: agent}); strings.Contains(got, "a.go") != calls {
			t.Errorf("%q sees %s", agent, got)
		}
	}
}
