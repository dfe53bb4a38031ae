package hook_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAStubIsShownWhereItsWayBackWorks: a repeated result is a stub where the agent of the event can call read_artifact, and
// stays where it cannot, or where that is not known. allow says that a call of read_artifact runs without asking.
func TestAStubIsShownWhereItsWayBackWorks(t *testing.T) {
	for _, c := range []struct {
		name        string
		files       map[string]string // below the home ~, or the workspace
		server      string
		event       string // more members
		stub, allow bool
	}{
		{"agreed at install", nil, ctxmcp, ``, true, true},
		{"not agreed", nil, "", ``, false, false},
		{"another server was agreed to", nil, "/other/ctxmcp", ``, false, false},
		{"allowed by a rule", map[string]string{"~/.claude/settings.json": `{"permissions":{"allow":["mcp__ctxledger__read_artifact"]}}`},
			"", ``, true, false},
		{"the whole server allowed by the person in this tree", map[string]string{".claude/settings.local.json": `{"permissions":{"allow":["mcp__ctxledger"]}}`},
			"", ``, true, false},
		{"allowed by a repository", map[string]string{".claude/settings.json": `{"permissions":{"allow":["mcp__ctxledger"]}}`},
			"", ``, false, false},
		{"nothing is asked", nil, "", `"permission_mode":"bypassPermissions"`, true, false},
		{"a mode in which it is not known", nil, ctxmcp, `"permission_mode":"plan"`, false, true},
		{"denied", map[string]string{"~/.claude/settings.json": `{"permissions":{"deny":["mcp__ctxledger__read_artifact"]}}`},
			ctxmcp, ``, false, true}, // Claude Code heeds its rule
		{"to be asked, by a pattern", map[string]string{".claude/settings.json": `{"permissions":{"ask":["mcp__*"]}}`},
			ctxmcp, ``, false, true},
		{"settings that are no JSON", map[string]string{"~/.claude/settings.json": `{"permissions":{},}`}, ctxmcp, ``, false, false},
		{"no server", map[string]string{"~/.claude.json": `{}`}, ctxmcp, ``, false, false},
		{"a server that the person has disabled here", map[string]string{"~/.claude.json": `{"mcpServers":{"ctxledger":` +
			`{"command":"/opt/ctxmcp"}},"projects":{"ROOT":{"disabledMcpServers":["ctxledger"]}}}`}, ctxmcp, ``, false, false},
		{"a server of the repository under our name", map[string]string{".mcp.json": `{"mcpServers":{"ctxledger":` +
			`{"command":"./ctxmcp"}}}`}, ctxmcp, ``, false, false},
		{"our server, of the repository, with variables", map[string]string{".mcp.json": `{"mcpServers":{"ctxledger":` +
			`{"command":"/opt/ctxmcp","env":{"LD_PRELOAD":"x"}}}}`}, ctxmcp, ``, false, false},
		{"our server, of the repository, approved", map[string]string{"~/.claude.json": `{}`, ".mcp.json": installed,
			".claude/settings.local.json": `{"enabledMcpjsonServers":["ctxledger"]}`}, ctxmcp, ``, true, true},
		{"our server, of the repository, not approved", map[string]string{"~/.claude.json": `{}`, ".mcp.json": installed},
			ctxmcp, ``, false, true},
		{"a subagent that has all tools", nil, ctxmcp, `"agent_id":"a","agent_type":"general-purpose"`, true, true},
		{"a subagent of another kind", nil, ctxmcp, `"agent_id":"a","agent_type":"Explore"`, false, true},
		{"a subagent with tools of its own", map[string]string{".claude/agents/a.md": "---\nname: reader\ntools: Read, Bash\n---\nRead."},
			ctxmcp, `"agent_id":"a","agent_type":"reader"`, false, true},
		{"a subagent that inherits tools", map[string]string{"~/.claude/agents/x/a.md": "---\nname: reader\n---\nRead."},
			ctxmcp, `"agent_id":"a","agent_type":"reader"`, true, true},
		{"a session of a limited agent", map[string]string{".claude/agents/a.md": "---\nname: reader\ntools: [Read]\n---\n"},
			ctxmcp, `"agent_type":"reader"`, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for name, text := range c.files {
				path := filepath.Join(w.root, name)
				if below, home := strings.CutPrefix(name, "~/"); home {
					path = filepath.Join(w.env.Home, below)
				}
				w.write(path, strings.ReplaceAll(text, "ROOT", filepath.ToSlash(w.root)))
			}
			last := w.twice(c.server, c.event)
			if got := strings.Contains(last, "Read more: read_artifact"); got != c.stub {
				t.Errorf("a stub %t, want %t: %.300q", got, c.stub, last)
			}
			for tool, want := range map[string]bool{"mcp__ctxledger__read_artifact": c.allow, "mcp__ctxledger__context_status": c.allow,
				"mcp__ctxledger__changes": c.allow, "mcp__ctxledger__memory": false, "mcp__ctxledger__compact_conversation": false,
				"mcp__other__read_artifact": false, "Bash": false} {
				got := w.called(c.server, "PreToolUse", c.event, tool, "", 3)
				if strings.Contains(got, `"permissionDecision":"allow"`) != want {
					t.Errorf("%s: %q", tool, got)
				}
			}
		})
	}
}

// TestFlagsOfTheAgentLeaveResultsAlone: what the command line of Claude Code says of tools is in no file.
func TestFlagsOfTheAgentLeaveResultsAlone(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("command lines cannot be seen here")
	}
	for flag, stub := range map[string]bool{"--verbose": true, "--strict-mcp-config": false, "--disallowedTools=x": false} {
		w := newWorld(t)
		pid := waiting(t, flag)
		w.env.Lookup = func(name string) string { return map[string]string{"CLAUDE_PID": pid}[name] }
		last := w.twice(ctxmcp, "")
		if (last != "") != stub {
			t.Errorf("%s: %.200q", flag, last)
		}
	}
}

// called answers an event of a call, with a result if there is one.
func (w *world) called(server, event, more, tool, result string, n int) string {
	w.t.Helper()
	if more != "" {
		more += ","
	}
	input := fmt.Sprintf(`{%s"tool_name":%q,"tool_use_id":"toolu_%d","tool_input":{},"tool_response":%q}`, more, tool, n, result)
	return w.serve(server, event, w.completed(event, []byte(input)))
}

// twice returns what is printed for the second of two results that are the same.
func (w *world) twice(server, more string) string {
	w.t.Helper()
	text := strings.Repeat("a row of it ", 500)
	w.called(server, "PostToolUse", more, "mcp__db__query", text, 1)
	return w.called(server, "PostToolUse", more, "mcp__db__query", text, 2)
}

// waiting starts a process with a word in its command line, and returns its id.
func waiting(t *testing.T, word string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "read line; :", "sh", word)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // that is what it waits for
		_ = cmd.Wait() // its status is that of reading nothing
	})
	return strconv.Itoa(cmd.Process.Pid)
}
