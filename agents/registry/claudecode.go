package registry

import (
	"path/filepath"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/hook"
	"ctxledger.dev/carried"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/confedit"
)

// claudeCode is Claude Code.
func claudeCode() Agent {
	return Agent{
		Name: claudecode.Name, Title: "Claude Code",
		Sessions: claudecode.Adapter(), Write: claudecode.Writer(), Hooks: hook.Run,
		Reads: claudeReads, Running: claudecode.Running, CompactsAt: claudecode.AutoCompact, Window: claudecode.Window,
		Settings: claudecode.SettingsFiles,
		Carried:  carried.ClaudeCode(claudecode.ConfigDir, claudecode.MemoryDir, claudecode.ToolSearch),
		Client: Client{Name: "claude-code", Tokens: claudeTokens, // unless it searches for tools
			Resources: 467, Most: 49_000, Size: codeUnits, Call: "claudecode/toolUseId",
			Tells: hook.Tells, Hooked: claudecode.Hooked},
		Install: Install{
			Program: "claude", Package: "@anthropic-ai/claude-code", Dir: claudecode.ConfigDir, Written: "projects",
			Files: claudeFiles, Projects: true, Plugins: claudePlugins, Restart: newSession,
			Agreed: "this lets Claude Code call three tools without asking you: read_artifact, " +
				"context_status and changes. They only read. Your own deny and ask rules still apply",
			Costs: "this adds " + chars.Commas(claudeTokens) + " tokens to each request: recorded sessions cost 0.94% more with it. " +
				"To save, use `ctxledger with --reduce -- claude` or `ctxledger resume`",
			Support: support(works("MCP"), works("its session files"), byHook("PostToolUse", ""),
				byHook("PreToolUse", ""), byHook("SessionStart", ""), byHook("PreCompact", ""),
				byHook("UserPromptSubmit", " after a compaction")),
		},
	}
}

// claudeTokens is what our tools take in each request of Claude Code, in o200k_base tokens.
const claudeTokens = 1152

// claudeHook is a hook of Claude Code.
type claudeHook struct {
	Matcher string          `json:"matcher,omitempty"`
	Hooks   []claudeCommand `json:"hooks"`
}

type claudeCommand struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"` // seconds
}

// Hooks of Claude Code. A matcher with a dot is a regular expression; without a matcher a hook runs for all.
var claudeEvents = []struct {
	event, matcher string
	timeout        int                     // seconds; our own deadline is far below
	wanted         func(config.Hooks) bool // whether anything is to do; nil: always, something is recorded
}{
	{"SessionStart", "", 5, nil},
	{"SubagentStart", "", 5, nil}, // of an agent for which nothing is declared it does nothing
	{"UserPromptSubmit", "", 5, config.Hooks.Prompts},
	{"PreToolUse", ".*", 5, nil},
	{"PostToolUse", ".*", 5, config.Hooks.Results},
	{"PreCompact", "", 10, config.Hooks.Compactions},
	{"PostCompact", "", 10, nil},
	{"SessionEnd", "", 1, nil}, // Claude Code grants 1.5 s to all together
}

// claudeHooks returns the hooks of Claude Code, without those that would do nothing. They call the program that is made for
// it, or where there is none, the command line. With a call goes the server of which the person lets agents use the tools
// that only read: by agreeing to this entry.
func claudeHooks(p Programs, do config.Hooks) (out []confedit.Entry) {
	for _, e := range claudeEvents {
		if e.wanted != nil && !e.wanted(do) {
			continue
		}
		program, args := p.Hook, []string{string(claudecode.Name), e.event}
		if strings.HasSuffix(e.event, "ToolUse") && p.MCP != "" {
			args = append(args, p.MCP)
		}
		if program == "" {
			program, args = p.CLI, append([]string{"hook"}, args...)
		}
		out = append(out, confedit.Entry{Path: []string{"hooks", e.event}, List: true, Value: JSON(claudeHook{e.matcher,
			[]claudeCommand{{"command", program, args, e.timeout}}})})
	}
	return out
}

// claudeServer is our server as Claude Code registers it.
func claudeServer(program string, args ...string) server {
	return server{"stdio", program, append([]string{}, args...), true}
}

// claudeReads is Agent.Reads of Claude Code: the configuration joins those that the person has, and of two servers of one name
// counts. All are written with "=": Claude Code takes what follows a space for more of the same.
func claudeReads(program, workspace string, connected bool) (args, variables []string) {
	args = []string{"--allowedTools=mcp__ctxledger__read_artifact,mcp__plugin_ctxledger_ctxledger__read_artifact"}
	if connected {
		return args, nil
	}
	servers := map[string]server{ServerName: claudeServer(program, readBack(workspace)...)}
	return append(args, "--mcp-config="+string(JSON(map[string]any{"mcpServers": servers}))), nil
}

// claudeFiles returns the files of Claude Code. They are strict: version 2.1.328 does not start with a comment or a
// trailing comma in .claude.json, says of a settings file that nothing in it is in effect, and passes over .mcp.json
// without a word. A byte order mark is no trouble to it.
func claudeFiles(p Places) []File {
	servers := serverEntry(claudeServer(p.Programs.MCP), "mcpServers")
	if p.Scope == Project {
		return []File{{Path: p.Below(".mcp.json"), Entries: servers, Strict: true},
			{Path: p.Below(".claude", "settings.local.json"), Entries: claudeHooks(p.Programs, p.Hooks), Strict: true}}
	}
	return []File{{Path: claudecode.StateFile(p.Env), Entries: servers, Strict: true},
		{Path: filepath.Join(claudecode.ConfigDir(p.Env), "settings.json"),
			Entries: claudeHooks(p.Programs, p.Hooks), Strict: true}}
}

// claudePlugins returns the settings of Claude Code that enable plugins.
func claudePlugins(p Places) []Plugins {
	from := func(scope Scope, flag string, path ...string) Plugins {
		return Plugins{scope, filepath.Join(path...), "claude plugin disable %s --scope " + flag}
	}
	all := []Plugins{from(User, "user", claudecode.ConfigDir(p.Env), "settings.json")}
	if p.Root != "" {
		all = append(all, from(Project, "project", p.Root, ".claude", "settings.json"),
			from(Project, "local", p.Root, ".claude", "settings.local.json"))
	}
	return all
}
