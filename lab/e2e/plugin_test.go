package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// pluginTools is what the names of the plugin's tools begin with in Claude Code.
const pluginTools = "mcp__plugin_ctxledger_ctxledger"

// TestTheRealAgentLoadsThePlugin lets the real Claude Code work with the plugin folder of the release, and with nothing else
// of ours: its hooks run, and its server's tools are offered and answer.
func TestTheRealAgentLoadsThePlugin(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	plugin := released(t).plugin
	s := newBox(t)
	write(t, filepath.Join(s.Workspace, "ctxledger.yaml"), "follow: false\n") // the hooks alone say what happens
	api := open(t, s)
	_, err := api.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "rule", Type: "feedback",
		Body: "Ask Ada. And: the shop is closed on Mondays."}})
	if err != nil {
		t.Fatal(err)
	}
	server := model.New(model.Script{
		model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "command -v ctxledger"}}),
		model.Do("", model.Call{Tool: "memory", Input: map[string]any{"action": "get", "name": "rule"}}),
		model.Say("Ada knows."),
	}, nil)
	o := withHooks(s, server.Start(t), "When is the shop closed?")
	o.Plugin, o.ExtraArgs = plugin, []string{"--allowedTools", pluginTools}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	result := model.Run(ctx, t, o)

	first := server.Log()[slices.IndexFunc(server.Log(), func(x model.Exchange) bool { return x.Step == 0 })].Body
	if n := strings.Count(string(first), "the shop is closed on Mondays"); n != 1 {
		t.Errorf("what the hook says at the start of a session is %d times in the first request: %.6000s", n, first)
	}
	readme := string(read(t, filepath.Join(plugin, "README.md")))
	want, _, err := connect(t, s, s.Workspace, "plain").Names(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := offered(t, first); !slices.Equal(got, want) {
		t.Errorf("the plugin offers %q, its server has %q", got, want)
	}
	for _, name := range want {
		if !strings.Contains(readme, "`"+name+"`") {
			t.Errorf("the plugin's README does not name the tool %s", name)
		}
	}
	for _, name := range regexp.MustCompile("`[a-z]+_[a-z]+`").FindAllString(readme, -1) {
		if !slices.Contains(want, strings.Trim(name, "`")) {
			t.Errorf("the plugin's README names %s, which is no tool", name)
		}
	}
	if got := results(server); len(got) != 2 || strings.TrimSpace(got[0]) != filepath.Join(plugin, "bin", "ctxledger") ||
		!strings.Contains(got[1], "Ask Ada.") {
		t.Errorf("the model reads %q", got)
	}
	session, err := api.Session(ctx, ledger.SessionRequest{Host: "claude-code", HostID: result.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	// What became of the call is in the session file, which nothing reads here.
	if got := outcomes(ctx, t, api, session.ID); !slices.Equal(got, []string{"Bash Pending hook"}) {
		t.Errorf("intents %q", got)
	}
}

// offered returns the names of the plugin's tools in a request, without what they begin with.
func offered(t *testing.T, body []byte) (names []string) {
	t.Helper()
	var r struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		if name, ours := strings.CutPrefix(tool.Name, pluginTools+"__"); ours {
			names = append(names, name)
		}
	}
	return names
}

// TestTheRealAgentFindsNoFaultWithThePlugin has Claude Code validate the plugin folder, as its directory does, and strictly.
func TestTheRealAgentFindsNoFaultWithThePlugin(t *testing.T) {
	claude := model.Agent(t, model.Claude) // skips without one
	plugin := released(t).plugin
	s := newBox(t)
	for _, strictness := range [][]string{{"--profile", "directory"}, {"--strict"}} {
		if out, err := validate(t, s, claude, append(strictness, plugin)...); err != nil {
			t.Errorf("%q: %v: %s", strictness, err, out)
		}
	}
}

// validate runs claude plugin validate.
func validate(t *testing.T, s *sandbox.Sandbox, claude string, arguments ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(deadlined(t), claude, append([]string{"plugin", "validate"}, arguments...)...)
	cmd.Dir = s.Workspace
	cmd.Env = append(s.Env(), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1")
	return cmd.CombinedOutput()
}
