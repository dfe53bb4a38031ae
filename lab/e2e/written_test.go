package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
)

// work is what the real agent does in a session that is then continued in a new one: three prompts with results that
// are worth leaving out, and a last one whose read the next session builds on.
var work = model.Script{
	model.Do("I write it down.",
		model.Call{Tool: "Write", Input: map[string]any{"file_path": "{{dir}}/note.txt", "content": "one\n"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "seq 1 900"}}),
	model.Say("Written."),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "seq 1000 1900"}}),
	model.Say("Counted."),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "cat missing.txt"}}),
	model.Say("It is not there."),
	model.Step{Think: "I have to look.", Text: "I read it.", Calls: []model.Call{
		{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/note.txt"}},
		{Tool: "Bash", Input: map[string]any{"command": "wc -l note.txt"}}}},
	model.Say("It has one line."),
}

// prompts are the user's words in that session.
var prompts = []string{"Write a note.", "Count on.", "Look at missing.txt.", "What is in the note?"}

// later is what the agent does in the new session: it edits the file that it read in the old one.
var later = model.Script{
	model.Do("", model.Call{Tool: "Edit",
		Input: map[string]any{"file_path": "{{dir}}/note.txt", "old_string": "one", "new_string": "two"}}),
	model.Say("Changed."),
}

// written is the answer of resume.
type written struct {
	ID, File, Continues string
	Resume, Back        []string
	Before, After       struct{ N int }
}

// worked lets the real agent make that session, and returns its id and its file.
func worked(ctx context.Context, t *testing.T, s *sandbox.Sandbox) (id, file string) {
	t.Helper()
	o := model.Options{Dir: s.Workspace, ConfigDir: s.Config,
		URL: model.New(work, model.Vars{"dir": s.Workspace}).Start(t)}
	for _, o.Prompt = range prompts {
		o.Resume = model.Run(ctx, t, o).SessionID
	}
	files, err := filepath.Glob(filepath.Join(s.Config, "projects", "*", o.Resume+".jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of the session: %q, %v", files, err)
	}
	return o.Resume, files[0]
}

// TestARealAgentGoesOnFromACompactedSession compacts a session of the real Claude Code into a new session file, which it
// loads and goes on with. The old one stays as it was, and nothing counts twice.
func TestARealAgentGoesOnFromACompactedSession(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	old, file := worked(ctx, t, s)
	before := stateOf(t, file)
	w := writeSession(ctx, t, s, "resume", "--keep", "1", file)
	if after := stateOf(t, file); after != before {
		t.Errorf("the old file changed: %v, was %v", after, before)
	}
	if w.After.N >= w.Before.N || w.Before.N == 0 {
		t.Errorf("tokens: %d before, %d after", w.Before.N, w.After.N)
	}
	if len(w.Back) == 0 || w.Back[len(w.Back)-1] != old {
		t.Errorf("the way back is %q", w.Back)
	}
	text := contentOf(t, w.File)
	server := model.New(later, model.Vars{"dir": s.Workspace})
	o := model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: server.Start(t), Resume: w.ID, Prompt: "Now change it."}
	if r := model.Run(ctx, t, o); r.SessionID != w.ID {
		t.Errorf("session %s went on as %s", w.ID, r.SessionID)
	}
	goneOn(t, server.Log(), text)
	if note := contentOf(t, filepath.Join(s.Workspace, "note.txt")); note != "two\n" {
		t.Errorf("note.txt is %q", note)
	}
	if now := contentOf(t, w.File); !strings.HasPrefix(now, text) || len(now) == len(text) {
		t.Error("the agent did not append to the file")
	}
	nothingTwice(ctx, t, s, file, w)

	// The way back: the old session has its whole history.
	server = model.New(model.Script{model.Say("Yes.")}, nil)
	o.URL, o.Resume, o.Prompt = server.Start(t), old, "Are you there?"
	model.Run(ctx, t, o)
	request := string(server.Log()[0].Body)
	for _, p := range append(prompts, "1899", o.Prompt) {
		if !strings.Contains(request, p) {
			t.Errorf("the old session went on without %q", p)
		}
	}
}

// goneOn checks the next request of the new session: the document once, the kept messages in order with their ids, the
// new prompt, and no reasoning. The edit of the file that was read has worked.
func goneOn(t *testing.T, log []model.Exchange, file string) {
	t.Helper()
	var request struct {
		Messages json.RawMessage
	}
	if err := json.Unmarshal(log[0].Body, &request); err != nil {
		t.Fatal(err)
	}
	body := string(request.Messages)
	at := 0
	for _, want := range []string{"ctxledger_record>", "I read it.", `"name":"Read"`, `"name":"Bash"`, "It has one line.",
		"Now change it."} {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Errorf("the next request has no %q behind the others: %s", want, body)
			continue
		}
		at += i
	}
	if n := strings.Count(body, "<ctxledger_record>"); n != 1 {
		t.Errorf("the document is there %d times", n)
	}
	if strings.Contains(body, "I have to look") || strings.Contains(body, "1899") {
		t.Error("reasoning, or a result that was left out, is in the request")
	}
	for line := range strings.Lines(file) {
		var r struct {
			Message struct {
				Content json.RawMessage
			}
		}
		var blocks []struct {
			ID string `json:"id"`
		}
		if json.Unmarshal([]byte(line), &r) != nil || json.Unmarshal(r.Message.Content, &blocks) != nil {
			continue
		}
		for _, b := range blocks {
			if b.ID != "" && strings.Count(body, `"id":"`+b.ID+`"`)+strings.Count(body, `"tool_use_id":"`+b.ID+`"`) != 2 {
				t.Errorf("call %s is not there once with its result", b.ID)
			}
		}
	}
	last := log[len(log)-1]
	if len(last.Results) != 1 || !strings.Contains(last.Results[0], "updated") {
		t.Errorf("the edit returned %q", last.Results)
	}
}

// nothingTwice compares what the ledger and an audit count with both files: what was copied counts in the old session.
func nothingTwice(ctx context.Context, t *testing.T, s *sandbox.Sandbox, file string, w written) {
	t.Helper()
	var both, one struct {
		Total struct{ Requests int }
		Tools []struct {
			Name  string
			Calls int
		}
	}
	answer(ctx, t, s, &one, "audit", "--json", file)
	answer(ctx, t, s, &both, "audit", "--json", file, w.File)
	if both.Total.Requests != one.Total.Requests+len(later) {
		t.Errorf("an audit counts %d requests with the new session, %d without", both.Total.Requests, one.Total.Requests)
	}
	calls := map[string]int{}
	for _, x := range both.Tools {
		calls[x.Name] = x.Calls
	}
	if calls["Bash"] != 4 || calls["Read"] != 1 || calls["Edit"] != 1 {
		t.Errorf("an audit counts the calls %v", calls)
	}
	if _, err := s.Run(ctx, "import", file, w.File); err != nil {
		t.Fatal(err)
	}
	api := open(t, s)
	fresh, err := api.Session(ctx, ledger.SessionRequest{Name: w.ID})
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Continues != w.Continues || fresh.Usage.Output == 0 {
		t.Errorf("the new session is %+v, and continues %s", fresh, w.Continues)
	}
	h, err := api.FileHistory(ctx, ledger.FileHistoryRequest{Path: "note.txt"})
	if err != nil || len(h.Intents) != 2 || len(h.Reads) != 1 {
		t.Errorf("note.txt was written, read and edited once each: %d intents, %d reads, %v", len(h.Intents), len(h.Reads), err)
	}
	log, err := api.Log(ctx, ledger.LogRequest{Session: fresh.ID})
	if err != nil {
		t.Fatal(err)
	}
	spent := int64(0)
	for _, e := range log.Entries {
		if spent += e.Spent().Output; e.Copied && e.Usage != nil {
			t.Errorf("entry %d is copied, and has a usage", e.Seq)
		}
	}
	if spent != fresh.Usage.Output {
		t.Errorf("the session took %d tokens of output, its own records %d", fresh.Usage.Output, spent)
	}
}

// writeSession runs a command that writes a session.
func writeSession(ctx context.Context, t *testing.T, s *sandbox.Sandbox, arguments ...string) (w written) {
	t.Helper()
	answer(ctx, t, s, &w, append([]string{"--json"}, arguments...)...)
	return w
}

// answer runs a command and reads its answer.
func answer(ctx context.Context, t *testing.T, s *sandbox.Sandbox, into any, arguments ...string) {
	t.Helper()
	cmd := s.Command(ctx, arguments...)
	cmd.Env = append(cmd.Env, "CLAUDE_CONFIG_DIR="+s.Config)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%q: %v: %s", arguments, err, said.Bytes())
	}
}

// state is what of a file must not change.
type state struct {
	text string
	at   time.Time
}

func stateOf(t *testing.T, path string) state {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return state{contentOf(t, path), info.ModTime()}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// talk is a conversation of another agent, in another format and with ids that this one's provider refuses.
const talk = `[{"role":"user","content":"What is in list.txt?"},
{"role":"assistant","content":null,"tool_calls":[{"id":"call|1 x","type":"function","function":{"name":"exec_command",` +
	`"arguments":"{\"cmd\":\"cat list.txt\"}"}},{"id":"call|2","type":"function","function":{"name":"look.up",` +
	`"arguments":"{\"q\":\"x\"}"}}]},
{"role":"tool","tool_call_id":"call|1 x","content":"one entry"},
{"role":"tool","tool_call_id":"call|2","content":"nothing there"},
{"role":"assistant","content":"One entry."},
{"role":"user","content":"Which?"}]`

// TestARealAgentGoesOnFromAConversationOfAnother writes a conversation that was handed in as a session of Claude Code.
func TestARealAgentGoesOnFromAConversationOfAnother(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	file := filepath.Join(s.Top, "talk.json")
	if err := os.WriteFile(file, []byte(talk), 0o600); err != nil {
		t.Fatal(err)
	}
	w := writeSession(ctx, t, s, "resume", file, "--in", "claude-code", "--dir", s.Workspace)
	server := model.New(model.Script{model.Say("The first.")}, nil)
	model.Run(ctx, t, model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: server.Start(t), Resume: w.ID,
		Prompt: "Say it."})
	body, at := string(server.Log()[0].Body), 0
	for _, want := range []string{"<ctxledger_record>", "What is in list.txt?", `"id":"call_1_x"`, `"name":"Bash"`,
		`"id":"call_2"`, `"name":"look_up"`, `"tool_use_id":"call_1_x"`, "one entry", "nothing there", "One entry.", "Which?",
		"in a new session", "Say it."} {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Fatalf("the next request has no %q behind the others: %s", want, body)
		}
		at += i
	}
}
