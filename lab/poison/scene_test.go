//go:build linux

package poison_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
	"ctxledger.dev/workspace"
)

// form is how a text is planted where line ends are taken: alone in its line, or in lines of its own.
type form string

const (
	inline form = "inline"
	lines  form = "lines"
)

// planted is a text with the canary around it.
func planted(text string, f form) string {
	if f == lines {
		return poison.Canary + " begins\n" + text + "\n" + poison.Canary + " ends"
	}
	return text + " " + poison.Canary
}

// A place is where a text gets into a ledger.
type place struct {
	name string
	put  func(s *script, text string)
}

// places are all of them that a session file has. A row is a name and what of the script takes the text.
var places = []place{
	{"words of the user", func(s *script, text string) { s.asked[1] = text }},
	{"first words, and so the title", func(s *script, text string) { s.asked[0] = text }},
	{"words of the agent", func(s *script, text string) { s.said = text }},
	{"reasoning", func(s *script, text string) { s.thought = text }},
	{"name of a tool", func(s *script, text string) { s.tool = text }},
	{"name of an argument", func(s *script, text string) { s.argument = text }},
	{"value of an argument", func(s *script, text string) { s.value = text }},
	{"command", func(s *script, text string) { s.command = text }},
	{"commit message", func(s *script, text string) { s.commit = text }},
	{"pattern of a search", func(s *script, text string) { s.pattern = text }},
	{"result of a tool", func(s *script, text string) { s.result = text }},
	{"long result, an artifact", func(s *script, text string) { s.long = text }},
	{"error of a tool", func(s *script, text string) { s.failure = text }},
	{"path that is read", func(s *script, text string) { s.read = text }},
	{"path that is changed", func(s *script, text string) { s.changed = text }},
	{"content of an edit", func(s *script, text string) { s.content = text }},
	{"summary of the host", func(s *script, text string) { s.earlier = text }},
	{"branch", func(s *script, text string) { s.branch = text }},
	{"working directory", func(s *script, text string) { s.dir = text }},
	{"model", func(s *script, text string) { s.model = text }},
	{"session id of the host", func(s *script, text string) { s.hostID = text[max(0, len(text)-150):] }},
	{"name of a subagent", func(s *script, text string) { s.agent = text }},
}

// script is what a recorded session says.
type script struct {
	asked                                                                  [3]string
	said, thought, tool, argument, value, command, commit, pattern, result string
	long, failure, read, changed, content, earlier, branch, dir, model     string
	hostID, agent                                                          string

	lines  bytes.Buffer
	at     time.Time
	number int
	parent string
}

// now is what the clock says, shortly after the session.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// harmless is a session in which nothing is hostile, and every part of a document has something to say.
func harmless(dir string) *script {
	return &script{
		asked: [3]string{"Make the totals right. Never touch vendor/.", "Now the tests.", "Go on."},
		said:  "I round once, at the end.", thought: "Rounding is the cause.", tool: "Search", argument: "query",
		value:   "totals",
		command: "go test ./...", commit: "round once", pattern: "func Total", result: "ok  \tshop\t0.01s",
		long: "line of a log", failure: "no such file",
		read: dir + "/main.go", changed: dir + "/total.go", content: "package shop", earlier: "The shop was begun.",
		branch: "main", dir: dir, model: "claude-sonnet-4-5",
		hostID: "05758ff7-b05d-45d5-a684-2d87d43ae644", agent: "general-purpose", at: now.Add(-time.Minute),
	}
}

// add writes one record.
func (s *script) add(kind string, message any, more map[string]any) {
	s.number++
	s.at = s.at.Add(time.Second)
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", s.number)
	record := map[string]any{
		"parentUuid": nil, "isSidechain": false, "type": kind, "message": message, "uuid": id,
		"timestamp": s.at.Format("2006-01-02T15:04:05.000Z"),
		"cwd":       s.dir, "sessionId": s.hostID, "version": "2.1.328", "gitBranch": s.branch,
	}
	if s.parent != "" {
		record["parentUuid"] = s.parent
	}
	for k, v := range more {
		record[k] = v
	}
	s.parent = id
	s.lines.Write(append(encoded(record), '\n'))
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (s *script) user(text string) {
	s.add("user", map[string]any{"role": "user", "content": text}, nil)
}

func (s *script) answer(parts ...any) {
	s.add("assistant", map[string]any{
		"id": fmt.Sprintf("msg_%d", s.number), "type": "message", "role": "assistant", "model": s.model,
		"content": parts,
		"usage": map[string]any{"input_tokens": 1000, "cache_creation_input_tokens": 500,
			"cache_read_input_tokens": 20000, "output_tokens": 200},
	}, map[string]any{"requestId": fmt.Sprintf("req_%d", s.number)})
}

func text(said string) any { return map[string]any{"type": "text", "text": said} }

// call has a tool called, and its result come back.
func (s *script) call(tool string, input map[string]any, result string, failed bool) {
	id := fmt.Sprintf("toolu_%d", s.number)
	s.answer(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	s.add("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed},
	}}, nil)
}

// file returns the session file.
func (s *script) file() []byte {
	s.add("user", map[string]any{"role": "user", "content": "This session is being continued from a previous " +
		"conversation that ran out of context. The conversation is summarized below:\n" + s.earlier},
		map[string]any{"isCompactSummary": true, "isVisibleInTranscriptOnly": true})
	s.user(s.asked[0])
	s.answer(map[string]any{"type": "thinking", "thinking": s.thought, "signature": "x"})
	s.call("Bash", map[string]any{"command": s.command, "description": s.value}, s.result, false)
	s.call("Read", map[string]any{"file_path": s.read}, s.result, false)
	s.call("Grep", map[string]any{"pattern": s.pattern, "path": s.dir, s.argument: s.value}, s.result, false)
	s.call(s.tool, map[string]any{s.argument: s.value}, s.result, false)
	s.call("Edit", map[string]any{"file_path": s.changed, "old_string": s.content, "new_string": s.content + "x"},
		"The file has been updated.", false)
	s.call("Write", map[string]any{"file_path": s.changed + ".new", "content": s.content},
		"File created successfully", false)
	s.call("Edit", map[string]any{"file_path": s.dir + "/broken.go", "old_string": "a", "new_string": "b"},
		s.failure, true)
	s.answer(text(s.said))
	s.user(s.asked[1])
	s.call("Bash", map[string]any{"command": "go vet ./... # " + s.value}, "Exit code 1\n"+s.failure, true)
	s.call("Bash", map[string]any{"command": "git commit -m '" + s.commit + "'"}, s.result, false)
	s.call("Read", map[string]any{"file_path": "/usr/share/words"},
		strings.Repeat(s.long+"\n", 45_000/(len(s.long)+1)), false)
	s.call("Task", map[string]any{"subagent_type": s.agent, "description": s.value, "prompt": s.value}, s.result, false)
	s.answer(text("Earlier words. " + s.said))
	s.user(s.asked[2])
	s.answer(text(s.said))
	return s.lines.Bytes()
}

// scene is a workspace with a ledger, and one text everywhere in it.
type scene struct {
	t                 *testing.T
	text              poison.Text
	form              form
	script            *script
	root, state, file string
	env               env.Env
	api               *engine.Local
	session, artifact string
	memory            string // the name of the memory that was taken
	change            int64
}

// environment is one in which no variable of this process is seen.
func environment(state string) env.Env {
	e := env.System()
	e.Now = func() time.Time { return now }
	vars := map[string]string{"CTXLEDGER_STATE": state, "XDG_STATE_HOME": state + "-user", "HOME": state + "-home",
		"NO_COLOR": "1", "TERM": "xterm", "PAGER": "cat"}
	e.Lookup = func(name string) string { return vars[name] }
	return e
}

// newScene plants texts at these places, by turns, and the first of them at those that a session file does not have.
func newScene(t *testing.T, texts []poison.Text, f form, at []place) *scene {
	t.Helper()
	text := texts[0]
	if n := len(texts) - 1; n > 0 {
		text.Class += fmt.Sprintf(" and %d others", n)
	}
	top := t.TempDir()
	s := &scene{t: t, text: text, form: f, root: filepath.Join(top, "shop"), state: stateDir(t),
		file: filepath.Join(top, "session.jsonl")}
	s.env = environment(s.state)
	s.do(os.Mkdir(s.root, 0o700))
	s.do(os.WriteFile(filepath.Join(s.root, "ctxledger.yaml"), []byte("context: {mode: intent}\n"+declared), 0o600))
	rec := harmless(s.root)
	for i, p := range at {
		p.put(rec, planted(texts[i%len(texts)].Value, f))
	}
	s.script = rec
	s.do(os.WriteFile(s.file, rec.file(), 0o600))
	s.open()
	imported, err := agents.Import(t.Context(), s.api, agents.Source{Path: s.file}, nil)
	s.do(err)
	s.session = imported.Session
	s.plantStores()
	return s
}

// stateDir is a directory in memory, where there is one: a thousand ledgers each write to the disk a hundred times.
func stateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "ctxl-poison")
	if err != nil {
		return filepath.Join(t.TempDir(), "state")
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what stays is in memory
	return filepath.Join(dir, "state")
}

func (s *scene) do(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s, %s: %v", s.text.Name(), s.form, err)
	}
}

func (s *scene) open() {
	s.t.Helper()
	ws, err := workspace.Find(s.env, workspace.Options{Flag: s.root}) // where the commands find the ledger too
	s.do(err)
	api, err := engine.Open(s.t.Context(), engine.Options{State: ws.State, Workspace: ws.Root, Env: s.env})
	s.do(err)
	s.api = api
}

func (s *scene) close() {
	s.t.Helper()
	s.do(s.api.Close())
	s.api = nil
}

// plantStores plants the text in memories, artifacts and observed files, as far as they take it.
func (s *scene) plantStores() {
	s.t.Helper()
	ctx, value := s.t.Context(), planted(s.text.Value, s.form)
	s.tell(value)
	s.remember(ctx, memory.Entry{Name: "build", Description: "how to build", Body: s.cut(value, 3000), Type: "project",
		Source: "user"})
	for _, e := range []memory.Entry{ // each may be refused
		{Name: s.cut(value, 100), Description: "a name", Body: "x"},
		{Name: "described", Description: s.cut(value, 100), Body: "x"},
		{Name: "typed", Type: s.cut(value, 40), Body: "x"},
		{Name: "sourced", Body: "x", Source: "agent:" + s.cut(value, 100)},
	} {
		s.remember(ctx, e)
	}
	ref, err := s.api.PutBlob(ctx, strings.NewReader(value))
	s.do(err)
	a, err := s.api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: s.cut(value, 200)})
	if err != nil {
		a, err = s.api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: "a log"})
	}
	s.do(err)
	s.artifact = a.ID
	seen := now.Add(-time.Minute)
	// it may be refused
	_, _ = s.api.RecordStates(ctx, ledger.RecordStatesRequest{Started: seen, States: []ledger.Observation{
		{State: changes.State{Path: s.cut(value, 200), Exists: true, Size: 1, Hash: strings.Repeat("ab", 32)},
			Seen: seen},
	}})
	list, err := s.api.Changes(ctx, ledger.ChangesRequest{Limit: 1})
	s.do(err)
	if len(list.Changes) > 0 {
		s.change = list.Changes[0].ID
	}
}

// declared is what agents are given in a scene. Its texts stand as other programs know them: unfenced, where they have no
// heading and no fence of their own.
const declared = "agents: [{name: Tester, context: [{source: session_context}, {source: changes_recent}, " +
	"{source: own_history}, {source: execution_state}, {source: investigation_log}, {source: \"file:.gitignore\"}]}]\n" +
	"selection: {state_machine: {states: {a: {agent: Developer, transitions: [{to: b, handoff_context: " +
	"[{source: session_context}]}]}, b: {agent: Tester}}}}\n"

// tell has agents note a text for others.
func (s *scene) tell(value string) {
	for _, n := range []sessions.Notes{{Kind: sessions.NotesContext, Text: value},
		{Kind: sessions.NotesAttempt, Text: s.cut(value, 2000), Reason: s.cut(value, 2000), Agent: s.cut(value, 100)},
		{Kind: sessions.NotesHypothesis, Text: s.cut(value, 2000), ID: "h1", Status: sessions.StatusOpen}} {
		_, _ = s.api.KeepNotes(s.t.Context(), ledger.KeepNotesRequest{Session: s.session, Notes: n}) // some are too long
	}
}

func (s *scene) remember(ctx context.Context, e memory.Entry) {
	if saved, err := s.api.SaveMemory(ctx, ledger.SaveMemoryRequest{Entry: e}); err == nil {
		s.memory = saved.Name
	}
}

// cut returns the last bytes of a text, at most so many; the canary is at its end.
func (s *scene) cut(value string, most int) string {
	return strings.ToValidUTF8(value[max(0, len(value)-most):], "")
}
