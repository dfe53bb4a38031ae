package hook_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/agents/claudecode/hooks"
)

// settingsOf has rules for what runs without a question.
func settingsOf(kind, rule string) string {
	return fmt.Sprintf(`{"permissions":{%q:[%q]}}`, kind, rule)
}

// TestAStubIsShownWhereItsWayBackWorks: a repeated result is a stub where the agent of the event is offered read_artifact and
// calls it without a question, and stays where it cannot, or where that is not known. allow says that hooks let calls of our
// tools run that only read.
func TestAStubIsShownWhereItsWayBackWorks(t *testing.T) {
	const (
		user, tree, shared = "~/.claude/settings.json", ".claude/settings.local.json", ".claude/settings.json"
		tool, plugin       = "mcp__ctxledger__read_artifact", "mcp__plugin_ctxledger_ctxledger__read_artifact"
	)
	type files map[string]string // below the home ~, or the workspace
	type agreed = string         // the server that the person agreed to at install, "" for none
	for _, c := range []struct {
		name        string
		agreed      agreed
		offered     string // the tool that the session file says is offered; "": none of ours
		files       files
		event       string // more members
		stub, allow bool
	}{
		{"agreed at install", ctxmcp, tool, nil, ``, true, true},
		{"not agreed", "", tool, nil, ``, false, false},
		{"agreed to another program", "/other/ctxmcp", tool, nil, ``, false, false},
		{"agreed, in an agent without the tool", ctxmcp, "", nil, ``, false, true},
		{"in a subagent that has it", ctxmcp, tool, nil, `"agent_id":"a","agent_type":"reader"`, true, true},
		{"in a subagent without it", ctxmcp, "", nil, `"agent_id":"a","agent_type":"reader"`, false, true},

		{"allowed by a rule", "", tool, files{user: settingsOf("allow", tool)}, ``, true, false},
		{"the server, in this tree", "", tool, files{tree: settingsOf("allow", "mcp__ctxledger")}, ``, true, false},
		{"by a pattern", "", tool, files{tree: settingsOf("allow", "mcp__ctxledger__*")}, ``, true, false},
		{"another tool", "", tool, files{user: settingsOf("allow", "mcp__ctxledger__changes")}, ``, false, false},
		{"by a repository", "", tool, files{shared: settingsOf("allow", tool)}, ``, false, false},
		{"nothing is asked", "", tool, nil, `"permission_mode":"bypassPermissions"`, true, false},
		{"the plugin's tool, allowed", "", plugin, files{user: settingsOf("allow", plugin)}, ``, true, false},
		{"the plugin's tool", ctxmcp, plugin, nil, ``, false, true},

		{"to be asked", ctxmcp, tool, files{user: settingsOf("ask", tool)}, ``, false, true}, // Claude Code heeds it
		{"to be asked, by a repository", ctxmcp, tool, files{shared: settingsOf("ask", "mcp__*")}, ``, false, true},
		{"to be asked, the server", ctxmcp, tool, files{tree: settingsOf("ask", "mcp__ctxledger")}, ``, false, true},
		{"to be asked of some calls", ctxmcp, tool, files{tree: settingsOf("ask", tool+"(id:*)")}, ``, false, true},
		{"denied", ctxmcp, tool, files{user: settingsOf("deny", tool)}, ``, false, true},
		{"to be asked of others", ctxmcp, tool, files{user: settingsOf("ask", "mcp__other")}, ``, true, true},
		{"settings that are no JSON", ctxmcp, tool, files{user: `{"permissions":{},}`}, ``, false, true},

		{"no server", ctxmcp, tool, files{"~/.claude.json": `{}`}, ``, false, false},
		{"a server of the repository under our name", ctxmcp, tool, files{".mcp.json": strings.Replace(installed,
			ctxmcp, "./ctxmcp", 1)}, ``, false, false},
		{"another program, allowed", "", tool, files{user: settingsOf("allow", tool), "~/.claude.json": strings.Replace(
			installed, ctxmcp, "/opt/other", 1)}, ``, false, false},
		{"ours, of the repository", ctxmcp, tool, files{"~/.claude.json": `{}`, ".mcp.json": installed}, ``,
			true, true},
		{"ours, of the repository, with variables", ctxmcp, tool, files{".mcp.json": strings.Replace(installed,
			`"args"`, `"env": {"LD_PRELOAD": "x"}, "args"`, 1)}, ``, false, false},
		{"ours, for this tree", ctxmcp, tool, files{"~/.claude.json": `{"projects": {"{{root}}": ` + installed + `}}`},
			``, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range c.files {
				path := filepath.Join(w.root, name)
				if below, home := strings.CutPrefix(name, "~/"); home {
					path = filepath.Join(w.env.Home, below)
				}
				w.write(path, text)
			}
			last := w.twice(c.agreed, c.offered, c.event)
			if got := strings.Contains(last, "Read more: read_artifact"); got != c.stub {
				t.Errorf("a stub %t, want %t: %.300q", got, c.stub, last)
			}
			for tool, want := range map[string]bool{"mcp__ctxledger__read_artifact": c.allow,
				"mcp__ctxledger__context_status": c.allow, "mcp__ctxledger__changes": c.allow,
				"mcp__ctxledger__memory": false, "mcp__ctxledger__compact_conversation": false,
				"mcp__ctxledger__x__changes": false, "mcp__other__read_artifact": false, plugin: false, "Bash": false} {
				got := w.called(c.agreed, "PreToolUse", c.event, tool, "", 3)
				if strings.Contains(got, `"permissionDecision":"allow"`) != want {
					t.Errorf("%s: %q", tool, got)
				}
			}
		})
	}
}

// calling is a record of calls in a session file.
const calling = `{"type":"assistant","message":{"content":[{"id":"toolu_1"},{"id":"toolu_2"}]}}` + "\n"

// TestASessionFileThatSaysNothingLeavesResults: without a session file, or without a request in it, as older versions of
// Claude Code write it, nobody knows whether read_artifact is offered.
func TestASessionFileThatSaysNothingLeavesResults(t *testing.T) {
	long := strings.Repeat("a row ", 20_000)
	for _, text := range []string{"", calling} {
		w := newWorld(t)
		if text != "" {
			w.write(w.transcript(), text)
		}
		for n := range 2 {
			if got := w.called(ctxmcp, "PostToolUse", "", "mcp__db__query", long, n+1); got != "" {
				t.Errorf("%.30q: it prints %.300q", text, got)
			}
		}
	}
}

// called answers an event of a call, with a result if there is one.
func (w *world) called(server, event, more, tool, result string, n int) string {
	w.t.Helper()
	if more != "" {
		more += ","
	}
	input := fmt.Sprintf(`{%s"prompt_id":"p","tool_name":%q,"tool_use_id":"toolu_%d","tool_input":{},"tool_response":%q}`,
		more, tool, n, result)
	return w.serve(server, event, w.completed(event, []byte(input)))
}

// twice returns what is printed for the second of two equal results, of an agent that is offered a tool of ours.
func (w *world) twice(server, tool, more string) string {
	w.t.Helper()
	e, ok := hooks.Decode("SessionStart", w.completed("SessionStart", []byte(`{`+more+`}`)))
	if !ok {
		w.t.Fatal(more)
	}
	w.write(e.File(), strings.Replace(offered, "mcp__ctxledger__read_artifact", tool, 1)+calling)
	text := strings.Repeat("a row of it ", 500)
	w.called(server, "PostToolUse", more, "mcp__db__query", text, 1)
	return w.called(server, "PostToolUse", more, "mcp__db__query", text, 2)
}
