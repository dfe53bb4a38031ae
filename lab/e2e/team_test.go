package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/tokens"
)

var update = flag.Bool("update", false, "rewrite the golden files of the tests that run")

// team declares four agents and what each hands to the next.
const team = `Orchestration:
  Agents:
    - Name: Planner
      Context:
        - Source: file:docs/goal.md
    - Name: Developer
      Context:
        - Source: session_context
        - Source: brief_field:goal
        - Source: execution_state
        - Source: own_history:3
    - Name: Tester
      Context:
        - Source: session_context
        - Source: brief_field:test_targets
          Label: What to test
        - Source: changes_recent:2
    - Name: Reviewer
      Context:
        - Source: session_context
        - Source: changes_recent
        - Source: investigation_log
        - Source: execution_state
  Selection:
    Type: statemachine
    StateMachine:
      States:
        plan: {Agent: Planner, Transitions: [{To: build, HandoffContext: [{Source: "brief_field:goal"}]}]}
        build:
          Agent: Developer
          Transitions:
            - {To: test, HandoffContext: [{Source: session_context, MaxChars: 40}]}
        test:
          Agent: Tester
          Transitions:
            - {To: build, HandoffContext: [{Source: investigation_log}]}
            - {To: review, HandoffContext: [{Source: execution_state}]}
        review: {Agent: Reviewer}
`

// call is a call of a tool with its result.
type toolCall struct {
	name   string
	args   map[string]any
	result string
	failed bool
}

// teamTurn is one turn of an agent: what the scripted model says and does in it.
type teamTurn struct {
	agent string
	says  string
	calls []toolCall
	notes [][]string // kind, text, reason
	to    string     // who goes on
}

// listing is what a tool shows: the bulk of a conversation.
var listing = strings.Repeat("api/users.go: a line of code that the next agent does not need to read again\n", 120)

func shellRun(command, result string, failed bool) toolCall {
	return toolCall{"shell_run", map[string]any{"command": command}, result, failed}
}

// played is the session.
var played = []teamTurn{
	{agent: "Planner", says: "Handler first, then tests of every status.",
		calls: []toolCall{shellRun("ls -R", listing, false),
			{"write_file", map[string]any{"path": ".fuseraft/brief.json", "content": brief}, "ok", false}},
		notes: [][]string{{"context", "Plan: handler in api/users.go, tests beside it."}}, to: "Developer"},
	{agent: "Developer", says: "The handler is written; its build fails.",
		calls: []toolCall{shellRun("cat api/*.go", listing, false),
			{"write_file", map[string]any{"path": "api/users.go", "content": "package api\n"}, "ok", false},
			shellRun("go build ./...", "Exit code 1\napi/users.go:12:2: undefined: store", true)},
		notes: [][]string{{"context", "The handler is in api/users.go. Open: the store is not wired."},
			{"attempt", "import the store", "an import cycle"}}, to: "Tester"},
	{agent: "Tester", says: "It does not build, so nothing was tested.",
		calls: []toolCall{shellRun("go test ./api/...", "Exit code 1\n"+listing+"FAIL ./api [build failed]", true)},
		notes: [][]string{{"hypothesis", "the store needs an interface"}}, to: "Developer"},
	{agent: "Developer", says: "The store is behind an interface now; it builds.",
		calls: []toolCall{
			{"patch_file", map[string]any{"path": "api/users.go", "oldText": "store", "newText": "s.store"}, "ok", false},
			shellRun("go build ./...", "", false)},
		notes: [][]string{{"context", "The handler is in api/users.go, the store behind an interface."}}, to: "Tester"},
	{agent: "Tester", says: "All statuses are tested.",
		calls: []toolCall{{"write_file", map[string]any{"path": "api/users_test.go", "content": "package api\n"}, "ok", false},
			shellRun("go test ./api/...", "ok api 0.1s", false)},
		notes: [][]string{{"hypothesis", "the store needs an interface", "", "h1", "confirmed"}}, to: "Reviewer"},
	{agent: "Reviewer", says: "Approved."},
}

const brief = `{"goal": "Add a users endpoint", "test_targets": ["./api/..."]}`

// task is what the user asks for.
const task = "Add a users endpoint to the API, with tests for every status that it can answer with."

// face is a way to reach the ledger.
type face interface {
	// record hands in a conversation, and returns the id of its session.
	record(messages []map[string]any) string
	note(session, agent string, n []string)
	handoff(session, from, to string) string
	given(session, agent string) string
}

// TestFourAgentsAreGivenExactlyWhatIsDeclared plays a session of four agents with a scripted model, over MCP and over the command
// line: each agent gets the bytes of testdata/team, whichever way it asks, and testdata/team/tokens.txt says how much less that
// is than the whole history. -update rewrites both.
func TestFourAgentsAreGivenExactlyWhatIsDeclared(t *testing.T) {
	for name, connect := range map[string]func(t *testing.T, s *sandbox.Sandbox) face{"MCP": overMCP, "command line": byShell} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBox(t)
			write(t, filepath.Join(s.Workspace, "ctxledger.yaml"), team)
			if err := os.MkdirAll(filepath.Join(s.Workspace, "docs"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(s.Workspace, "docs", "goal.md"), "# Goal\n\nUsers can be listed.\n")
			play(t, s, connect(t, s))
		})
	}
}

// play plays the session.
func play(t *testing.T, s *sandbox.Sandbox, f face) {
	t.Helper()
	conversation := []map[string]any{{"role": "user", "content": task}}
	session := f.record(conversation)
	var table strings.Builder
	fmt.Fprintf(&table, "%-4s %-10s %6s %13s\n", "turn", "agent", "given", "full history")
	sums := map[string][2]int{}
	for i, turn := range played {
		got := environment.ReplaceAllString(f.given(session, turn.agent), "ENVIRONMENT")
		golden(t, fmt.Sprintf("%d-%s.txt", i+1, strings.ToLower(turn.agent)), got)
		raw, err := json.Marshal(conversation)
		if err != nil {
			t.Fatal(err)
		}
		size := [2]int{tokens.O200kBase.CountString(got), tokens.O200kBase.CountString(string(raw))}
		fmt.Fprintf(&table, "%-4d %-10s %6d %13d\n", i+1, turn.agent, size[0], size[1])
		sums[turn.agent] = [2]int{sums[turn.agent][0] + size[0], sums[turn.agent][1] + size[1]}
		conversation = append(conversation, turn.messages(i)...)
		if i == 0 {
			if err := os.MkdirAll(filepath.Join(s.Workspace, ".fuseraft"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(s.Workspace, ".fuseraft", "brief.json"), brief)
		}
		if again := f.record(conversation); again != session {
			t.Fatalf("turn %d is in session %s, not %s", i+1, again, session)
		}
		for _, n := range turn.notes {
			f.note(session, turn.agent, n)
		}
		if turn.to != "" {
			golden(t, fmt.Sprintf("%d-handoff.txt", i+1), f.handoff(session, turn.agent, turn.to))
		}
	}
	for _, agent := range []string{"Planner", "Developer", "Tester", "Reviewer"} {
		fmt.Fprintf(&table, "all  %-10s %6d %13d\n", agent, sums[agent][0], sums[agent][1])
	}
	golden(t, "tokens.txt", table.String())
}

// messages are those of a turn.
func (turn teamTurn) messages(number int) (out []map[string]any) {
	for k, c := range turn.calls {
		id := fmt.Sprintf("call-%d-%d", number, k)
		out = append(out, map[string]any{"role": "assistant", "name": turn.agent, "content": []any{
			map[string]any{"type": "tool_use", "id": id, "name": c.name, "input": c.args}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id,
				"content": c.result, "is_error": c.failed}}})
	}
	return append(out, map[string]any{"role": "assistant", "name": turn.agent, "content": turn.says})
}

// environment matches the block about the machine, whose words vary.
var environment = regexp.MustCompile(`## Runtime Environment(?:\n[A-Z][\w/ ]+: .*)+`)

var stamped = regexp.MustCompile(`\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC`)

// golden compares a text with a file, but for times.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.TrimSpace(stamped.ReplaceAllString(got, "TIME")) + "\n"
	path := filepath.Join("testdata", "team", name)
	if *update {
		write(t, path, got)
		return
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s: %v\n%s", name, err, got)
	}
}

// mcpFace is a server with the tools of agents.
type mcpFace struct {
	t *testing.T
	c *sandbox.Client
}

func overMCP(t *testing.T, s *sandbox.Sandbox) face {
	c, err := s.Connect(deadlined(t), "orchestrator", "--structured", "--agent-tools")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return mcpFace{t, c}
}

// call calls a tool.
func (f mcpFace) call(tool string, args map[string]any) (r struct{ Session, Text string }) {
	f.t.Helper()
	if text, err := f.c.Call(f.t.Context(), tool, args, &r); err != nil {
		f.t.Fatalf("%s: %v %s", tool, err, text)
	}
	return r
}

func (f mcpFace) record(messages []map[string]any) string {
	return f.call("compact_conversation", map[string]any{"messages": messages, "mode": "auto"}).Session
}

func (f mcpFace) note(session, agent string, n []string) {
	args := map[string]any{"session": session, "agent": agent}
	tool := "session_context_write"
	switch n[0] {
	case "context":
		args["summary"] = n[1]
	case "attempt":
		tool, args["attempt"], args["outcome"] = "log_attempt", n[1], n[2]
	case "hypothesis":
		tool, args["hypothesis"] = "log_hypothesis", n[1]
		if len(n) > 3 {
			args["id"], args["status"] = n[3], n[4]
		}
	}
	f.call(tool, args)
}

func (f mcpFace) handoff(session, from, to string) string {
	return f.call("handoff", map[string]any{"session": session, "from": from, "to": to}).Text
}

func (f mcpFace) given(session, agent string) string {
	f.t.Helper()
	text, err := f.c.Prompt(f.t.Context(), "context", map[string]string{"session": session, "agent": agent})
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}

// shellFace is the command line.
type shellFace struct {
	t *testing.T
	s *sandbox.Sandbox
}

func byShell(t *testing.T, s *sandbox.Sandbox) face { return shellFace{t, s} }

// run runs a command and decodes its answer.
func (f shellFace) run(into any, args ...string) {
	f.t.Helper()
	out, err := f.s.Run(f.t.Context(), slices.Concat(args, []string{"--json"})...)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(out)).Decode(into)
	}
	if err != nil {
		f.t.Fatalf("%q: %v %s", args, err, out)
	}
}

func (f shellFace) record(messages []map[string]any) string {
	raw, err := json.Marshal(messages)
	if err != nil {
		f.t.Fatal(err)
	}
	write(f.t, filepath.Join(f.s.Workspace, "conversation.json"), string(raw))
	var r struct{ Edited struct{ Session string } }
	f.run(&r, "compact", "conversation.json", "--mode", "auto")
	return r.Edited.Session
}

func (f shellFace) note(session, agent string, n []string) {
	args := []string{"context", "note", n[0], "--session", session, "--agent", agent, "--text", n[1]}
	if len(n) > 2 && n[2] != "" {
		args = append(args, "--reason", n[2])
	}
	if len(n) > 3 {
		args = append(args, "--id", n[3], "--status", n[4])
	}
	f.run(new(map[string]any), args...)
}

func (f shellFace) handoff(session, from, to string) string {
	var r struct{ Handoff string }
	f.run(&r, "handoff", "--session", session, "--from", from, "--to", to)
	return r.Handoff
}

func (f shellFace) given(session, agent string) string {
	var r struct{ Messages []struct{ Text string } }
	f.run(&r, "context", "assemble", "--session", session, "--agent", agent)
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "\n")
}
