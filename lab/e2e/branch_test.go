package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// TestTheRealAgentRereadsAFileInAnotherBranch lets the real Claude Code read a file twice, go back to before both calls,
// read it twice there, and once in a copy of the session. A stub that points to an earlier call points to one whose
// result is in the same request.
func TestTheRealAgentRereadsAFileInAnotherBranch(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	text := long()[:5_000]
	write(t, filepath.Join(s.Workspace, "long.txt"), text)
	hookSettings(t, s, hookEvents, ownHook(s))
	reading := model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "cat long.txt"}})
	server := model.New(model.Script{
		model.Say("Hello."),
		reading, model.Say("Read."),
		reading, model.Say("Read again."),
		reading, model.Say("Read in a branch without it."),
		reading, model.Say("Read once more there."),
	}, model.Vars{"dir": s.Workspace})
	o := withHooks(s, server.Start(t), "Greet me.")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	session := model.Run(ctx, t, o).SessionID
	o.Resume = session
	hello := saidIn(t, s, session, "Hello.")
	for _, turn := range []struct {
		prompt string
		args   []string
		copied bool // first the session
		stub   bool
	}{
		{"Read it.", nil, false, false},
		{"Read it again.", nil, false, true},
		{"Read it.", []string{"--resume-session-at", hello}, false, false}, // gone back to before both
		{"Read it again.", nil, false, true},
		{"Read it.", nil, true, false}, // in a copy, of which hooks know nothing
	} {
		if o.Prompt, o.ExtraArgs = turn.prompt, turn.args; turn.copied {
			o.Prompt, o.ExtraArgs = "Greet me.", []string{"--fork-session"} // with it the script begins anew
			o.Resume = model.Run(ctx, t, o).SessionID
			o.Prompt, o.ExtraArgs = turn.prompt, nil
		}
		model.Run(ctx, t, o)
		requests := server.Log()
		got := lastResult(t, requests[len(requests)-1].Body, text)
		if got != turn.stub {
			t.Errorf("%s %q: the result is a stub: %t, want %t", turn.prompt, turn.args, got, turn.stub)
		}
	}
}

// TestTheRealAgentGetsTheLinesOfAFileOnce lets the real Claude Code read a file and print it again with commands, whole and in
// part, with numbers and without.
func TestTheRealAgentGetsTheLinesOfAFileOnce(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	text := long()[:8_000]
	write(t, filepath.Join(s.Workspace, "long.txt"), text)
	hookSettings(t, s, hookEvents, ownHook(s))
	script := model.Script{model.Do("", model.Call{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/long.txt"}})}
	prints := []string{"cat long.txt", "nl long.txt", "cat -n long.txt | head -60", "sed -n 11,70p long.txt", "head -60 long.txt"}
	for _, command := range prints {
		script = append(script, model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": command}}))
	}
	server := model.New(append(script, model.Say("Read.")), model.Vars{"dir": s.Workspace})
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	model.Run(ctx, t, withHooks(s, server.Start(t), "Read it."))
	got := results(server)
	if len(got) != 1+len(prints) {
		t.Fatalf("the model read %d results: %.300q", len(got), got)
	}
	for i, want := range []string{"the same text as", "the same text as", "lines 1–60 of", "lines 11–70 of", "lines 1–60 of"} {
		if !strings.Contains(got[i+1], "It is "+want+" the result of call ") {
			t.Errorf("%s: %.600s", prints[i], got[i+1])
		}
	}
}

// saidIn returns the id of the record with an answer.
func saidIn(t *testing.T, s *sandbox.Sandbox, session, text string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Config, "projects", "*", session+".jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var record struct{ UUID, Type string }
		if json.Unmarshal(line, &record) == nil && record.Type == "assistant" && bytes.Contains(line, []byte(text)) {
			return record.UUID
		}
	}
	t.Fatalf("the session has no %q", text)
	return ""
}

// pointed matches the call that a stub points to.
var pointed = regexp.MustCompile(`same text as the result of call (\S+) above`)

// lastResult reports whether the last result of a request is a stub that points to another one, whose text the request
// has. It fails the test if the result is neither that nor the whole text.
func lastResult(t *testing.T, request []byte, text string) (stub bool) {
	t.Helper()
	var r struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(request, &r); err != nil {
		t.Fatal(err)
	}
	results, last := map[string]string{}, ""
	for _, m := range r.Messages {
		var blocks []struct {
			Type    string
			ID      string `json:"tool_use_id"`
			Content any
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a string
		}
		for _, b := range blocks {
			if content, is := b.Content.(string); b.Type == "tool_result" && is {
				results[b.ID], last = content, b.ID
			}
		}
	}
	whole := func(result string) bool { return strings.TrimSpace(result) == strings.TrimSpace(text) }
	if whole(results[last]) {
		return false
	}
	m := pointed.FindStringSubmatch(results[last])
	if m == nil || !whole(results[strings.TrimSuffix(m[1], ".")]) {
		ids := []string{}
		for id := range results {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		t.Errorf("the request has results of %q, and the last one is %.2000q", ids, results[last])
	}
	return true
}
