package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// journey is a session of the real Claude Code that reads a file twice, and what a stub replaced if there is one.
type journey struct {
	name  string
	setup func(t *testing.T, s *sandbox.Sandbox)
	args  []string // of Claude Code
	agent string   // the subagent that does it, "" for the main agent
	stub  bool
}

// Definitions of subagents.
const (
	limited  = "---\nname: helper\ndescription: Reads.\ntools: Read, Bash\n---\nYou read.\n"
	complete = "---\nname: helper\ndescription: Reads.\n---\nYou read.\n"
)

// installing connects Claude Code as a person does who agrees.
func installing(args ...string) func(t *testing.T, s *sandbox.Sandbox) {
	return func(t *testing.T, s *sandbox.Sandbox) {
		run(t, s, append([]string{"install", "claude-code", "--yes"}, args...)...)
	}
}

// then does one thing after the other.
func then(all ...func(t *testing.T, s *sandbox.Sandbox)) func(t *testing.T, s *sandbox.Sandbox) {
	return func(t *testing.T, s *sandbox.Sandbox) {
		for _, do := range all {
			do(t, s)
		}
	}
}

// rule adds a rule to the user's settings.
func rule(kind, tool string) func(t *testing.T, s *sandbox.Sandbox) {
	return func(t *testing.T, s *sandbox.Sandbox) {
		path := filepath.Join(s.Config, "settings.json")
		settings := map[string]any{}
		if err := json.Unmarshal(read(t, path), &settings); err != nil {
			t.Fatal(err)
		}
		settings["permissions"] = map[string]any{kind: []string{tool}}
		raw, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(raw))
	}
}

// earlier makes the hooks those of a version that asked for no consent.
func earlier(t *testing.T, s *sandbox.Sandbox) {
	path := filepath.Join(s.Config, "settings.json")
	var settings any
	if err := json.Unmarshal(read(t, path), &settings); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(settings) // without white space
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.ReplaceAll(string(raw), `ToolUse","`+filepath.Join(s.Bin, "ctxmcp")+`"`, `ToolUse"`))
}

// defines writes the definition of a subagent into the workspace.
func defines(text string) func(t *testing.T, s *sandbox.Sandbox) {
	return func(t *testing.T, s *sandbox.Sandbox) {
		dir := filepath.Join(s.Workspace, ".claude", "agents")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "helper.md"), text)
	}
}

const ourTool = "mcp__ctxledger__read_artifact"

// TestTheRealAgentReadsBackWhatStubsReplaced: in every request of the real Claude Code, what a stub points to is in the
// request, and the call that it names runs without a question; where it would not, there is no stub.
func TestTheRealAgentReadsBackWhatStubsReplaced(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	for _, v := range []journey{
		{"agreed at install", installing(), nil, "", true},
		{"agreed for the project", installing("--project"), []string{"--settings",
			`{"enabledMcpjsonServers":["ctxledger"]}`}, "", true},
		{"hooks of an earlier version", then(installing(), earlier), nil, "", false},
		{"and a rule that allows", then(installing(), earlier, rule("allow", ourTool)), nil, "", true},
		{"a rule that denies", then(installing(), rule("deny", ourTool)), nil, "", false},
		{"a rule that asks", then(installing(), rule("ask", ourTool)), nil, "", false},
		{"a flag that takes the tool", installing(), []string{"--disallowedTools", ourTool}, "", false},
		{"without servers", installing(), []string{"--strict-mcp-config"}, "", false},
		{"a subagent with tools of its own", then(installing(), defines(limited)), nil, "helper", false},
		{"a subagent with all tools", then(installing(), defines(complete)), nil, "helper", true},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := newBox(t)
			v.setup(t, s)
			v.play(t, s)
		})
	}
}

// twice is what a stub of these tests replaced, and the handle that it has.
func twice(t *testing.T, s *sandbox.Sandbox) (text, handle string) {
	t.Helper()
	text = strings.TrimSpace(long()[:5_000])
	write(t, filepath.Join(s.Workspace, "long.txt"), text)
	sum := sha256.Sum256([]byte(text))
	return text, hex.EncodeToString(sum[:6])
}

// doing is a step with one command.
func doing(command string) model.Step {
	return model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": command}})
}

// play lets Claude Code do the visit.
func (v journey) play(t *testing.T, s *sandbox.Sandbox) {
	text, handle := twice(t, s)
	open(t, s) // its daemon answers from the first event on
	script := model.Script{doing("cat long.txt"), doing("cat long.txt")}
	if v.stub {
		script = append(script, model.Do("", model.Call{Tool: "read_artifact", Input: map[string]any{"id": handle}}))
	}
	script = append(script, model.Say("Read."))
	main := script
	if v.agent != "" {
		main = model.Script{model.Do("", model.Call{Tool: "Agent", Input: map[string]any{"description": "read",
			"prompt": "Read.", "subagent_type": v.agent}}), model.Say("Done.")}
	}
	server := model.New(main, nil)
	server.Subagents = script
	o := withHooks(s, server.Start(t), "Read.")
	o.ExtraArgs = v.args
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	model.Run(ctx, t, o)

	var read []string
	for _, x := range server.Log() {
		if (v.agent != "") == strings.Contains(x.Session, "/") && len(x.Results) > 0 {
			read = append(read, x.Results[0])
			lastResult(t, x.Body, text)
		}
	}
	if len(read) != len(script)-1 {
		t.Fatalf("%d results: %.500q", len(read), read)
	}
	if read[0] != text || (read[1] != text) != v.stub {
		t.Errorf("it reads %.300q and %.300q; a stub: want %t", read[0], read[1], v.stub)
	}
	if v.stub && !strings.Contains(read[2], text) {
		t.Errorf("the stub's way back answers %.500q", read[2])
	}
}

// TestTheRealAgentReadsBackWhenTheToolHasGone: ctxledger is uninstalled, or its server switched off, in the middle of a
// session. Results are whole from then on, and the other way back that stubs name works.
func TestTheRealAgentReadsBackWhenTheToolHasGone(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	for _, c := range []struct {
		name, gone string
		args       []string // of the run that goes on
	}{
		{"uninstalled", "CLI uninstall claude-code --yes", nil},
		{"switched off", "true", []string{"--strict-mcp-config"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBox(t)
			installing()(t, s)
			text, handle := twice(t, s)
			open(t, s)
			cli := filepath.Join(s.Bin, "ctxledger")
			back := cli + " artifact read " + handle
			server := model.New(model.Script{doing("cat long.txt"), doing("cat long.txt"), model.Say("Read."),
				doing(strings.Replace(c.gone, "CLI", cli, 1)), doing("cat long.txt"), doing(back), model.Say("Read.")}, nil)
			o := withHooks(s, server.Start(t), "Read.")
			ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
			defer cancel()
			o.Resume = model.Run(ctx, t, o).SessionID
			o.ExtraArgs = c.args
			model.Run(ctx, t, o)
			got := results(server)
			if len(got) != 5 || !strings.Contains(got[1], "; without that tool: "+back+"\n") {
				t.Fatalf("it reads %.600q", got)
			}
			if got[3] != text || got[4] != text {
				t.Errorf("it reads %.300q, and by the stub's second way %.300q", got[3], got[4])
			}
		})
	}
}
