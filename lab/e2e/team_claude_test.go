package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/tokens"
)

// TestFourSubagentsOfTheRealAgentAreGivenExactlyWhatIsDeclared plays the session of the four agents through the real Claude
// Code: each is a subagent of its own type, does its turn with real files and commands, notes what it knows by our tools, and
// hands over. Each gets the bytes of testdata/team/claude, by the hook SubagentStart. With -v it prints the table of
// docs/given.md. -update rewrites the files.
func TestFourSubagentsOfTheRealAgentAreGivenExactlyWhatIsDeclared(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	teamPlace(t, s)
	open(t, s)
	hookSettings(t, s, append([]string{"SubagentStart"}, hookEvents...), ownHook(s))
	write(t, filepath.Join(s.Config, ".claude.json"), `{"mcpServers":{"ctxledger":{"command":"`+
		filepath.Join(s.Bin, "ctxmcp")+`","args":["--agent-tools"],"alwaysLoad":true}}}`)
	server := model.New(teamScript(), model.Vars{"dir": s.Workspace})
	server.SubagentsBy = map[string]model.Script{}
	for i, turn := range played {
		server.SubagentsBy[fmt.Sprintf("Do turn %d.", i+1)] = turn.script(i)
	}
	o := withHooks(s, server.Start(t), task)
	o.ExtraArgs = []string{"--allowedTools=mcp__ctxledger"}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	model.Run(ctx, t, o)

	told := givenToSubagents(t, s, server)
	if len(told) != len(played) {
		t.Fatalf("%d subagents started", len(told))
	}
	sums := map[string][2]int{}
	for i, turn := range played {
		golden(t, filepath.Join("claude", fmt.Sprintf("%d-%s.txt", i+1, strings.ToLower(turn.agent))), told[i].text)
		t.Logf("turn %d, %-10s given %d, full history %d", i+1, turn.agent, told[i].tokens, told[i].history)
		sums[turn.agent] = [2]int{sums[turn.agent][0] + told[i].tokens, sums[turn.agent][1] + told[i].history}
	}
	t.Logf("in all: %v", sums)
}

// teamPlace is the directory in which the four agents work: a build and tests that pass once the files are right.
func teamPlace(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	for name, text := range map[string]string{
		"ctxledger.yaml": team, "docs/goal.md": "# Goal\n\nUsers can be listed.\n", "listing.txt": listing,
		"Makefile": "build:\n\t@grep -q s.store api/users.go || { echo 'api/users.go:12:2: undefined: store'; exit 1; }\n" +
			"test: build\n\t@test -e api/users_test.go || { cat listing.txt; echo 'FAIL ./api [build failed]'; exit 1; }\n" +
			"\t@echo ok api 0.1s\n",
	} {
		writeBelow(t, filepath.Join(s.Workspace, name), text)
	}
	for _, agent := range []string{"Planner", "Developer", "Tester", "Reviewer"} {
		name := strings.ToLower(agent)
		writeBelow(t, filepath.Join(s.Workspace, ".claude", "agents", name+".md"), "---\nname: "+name+"\ndescription: The "+name+
			" of the team\n---\nDo your turn.\n")
	}
}

// writeBelow writes a file and the directories that lead to it.
func writeBelow(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, text)
}

// teamScript has the main session start an agent for each turn.
func teamScript() (script model.Script) {
	for i, turn := range played {
		script = append(script, model.Do("", model.Call{Tool: "Agent", Input: map[string]any{"description": "a turn",
			"prompt": fmt.Sprintf("Do turn %d.", i+1), "subagent_type": strings.ToLower(turn.agent),
			"run_in_background": false}}))
	}
	return append(script, model.Say("All turns are done."))
}

// script is what an agent does in its turn, with Claude Code's tools.
func (turn teamTurn) script(number int) (script model.Script) {
	do := func(tool string, input map[string]any) {
		script = append(script, model.Do("", model.Call{Tool: tool, Input: input}))
	}
	for _, c := range turn.calls {
		switch c.name {
		case "shell_run":
			command := map[string]string{"go build ./...": "make build", "go test ./api/...": "make test"}[c.args["command"].(string)]
			if command == "" {
				command = "cat listing.txt"
			}
			do("Bash", map[string]any{"command": command})
		case "patch_file":
			do("Edit", map[string]any{"file_path": "{{dir}}/api/users.go", "old_string": "store", "new_string": "s.store"})
		default:
			content := c.args["content"]
			if c.args["path"] == "api/users.go" {
				content = "package api\n\nvar users = store\n"
			}
			do("Write", map[string]any{"file_path": "{{dir}}/" + c.args["path"].(string), "content": content})
		}
	}
	for _, n := range turn.notes {
		switch n[0] {
		case "context":
			do("mcp__ctxledger__session_context", map[string]any{"agent": turn.agent, "summary": n[1]})
		case "attempt":
			do("mcp__ctxledger__log_attempt", map[string]any{"agent": turn.agent, "attempt": n[1], "outcome": n[2]})
		default:
			input := map[string]any{"agent": turn.agent, "hypothesis": n[1]}
			if len(n) > 3 {
				input["id"], input["status"] = n[3], n[4]
			}
			do("mcp__ctxledger__log_hypothesis", input)
		}
	}
	if turn.to != "" {
		do("mcp__ctxledger__handoff", map[string]any{"from": turn.agent, "to": turn.to})
	}
	return append(script, model.Say(turn.says))
}

// toldSubagent is what a subagent was given, and the tokens of that and of all that was said before it.
type toldSubagent struct {
	text            string
	tokens, history int
}

// givenToSubagents reads, in the order of their starts, what the hook told subagents in their first requests.
func givenToSubagents(t *testing.T, s *sandbox.Sandbox, server *model.Server) (out []toldSubagent) {
	t.Helper()
	said := map[string]int{} // tokens of the messages of each conversation, without those in which the host begins it
	for _, x := range server.Log() {
		if x.Step < 0 {
			continue
		}
		var body struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(x.Body, &body); err != nil {
			t.Fatal(err)
		}
		if x.Step == 0 && strings.Contains(x.Session, "/") {
			told := toldSubagent{text: toldBy(t, body.Messages)}
			told.text = strings.ReplaceAll(told.text, s.Workspace, "WORKSPACE")
			told.tokens = tokens.O200kBase.CountString(told.text)
			told.text = environment.ReplaceAllString(told.text, "ENVIRONMENT")
			for _, n := range said {
				told.history += n
			}
			out = append(out, told)
		}
		later := 0
		for _, m := range body.Messages[1:] {
			if !strings.Contains(string(m), hostBegins) {
				later += tokens.O200kBase.CountString(string(m))
			}
		}
		said[x.Session] = later
	}
	return out
}

// hostBegins is in what Claude Code tells a conversation that begins, behind what hooks say.
const hostBegins = "You have been invoked in the following environment"

// toldBy returns what the hook of a start added to a conversation.
func toldBy(t *testing.T, messages []json.RawMessage) string {
	t.Helper()
	for _, raw := range messages {
		var m struct{ Content json.RawMessage }
		var blocks []struct{ Text string }
		var text string
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(m.Content, &text) != nil && json.Unmarshal(m.Content, &blocks) != nil {
			t.Fatalf("a message of another form: %.300s", raw)
		}
		for _, b := range append(blocks, struct{ Text string }{text}) {
			if _, after, ok := strings.Cut(b.Text, "SubagentStart hook additional context: "); ok {
				told, _, _ := strings.Cut(after, "\n\n# Environment\n"+hostBegins)
				return told
			}
		}
	}
	t.Fatalf("nothing was added: %.3000s", messages)
	return ""
}
