package install

import (
	"cmp"
	"path/filepath"
	"runtime"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
)

// ClaudeDesktop is the one agent of the table that has no session files.
const ClaudeDesktop sessionfile.Agent = "claude-desktop"

// Scope says whose sessions a configuration is for.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // all of the user's
	Project Scope = "project" // those in one tree
)

// Host is an agent that ctxledger can be connected to.
type Host struct {
	Agent   sessionfile.Agent
	Label   string
	Program string // its name in PATH, "" for none
	Package string // its name in npm, "" for none
	// dir returns the directory of its own whose existence says that somebody uses it.
	dir func(e env.Env) string
	// sessions is the folder in dir in which ctxledger writes sessions for the agent. It alone is no sign of the agent;
	// "": none are written.
	sessions string
	// files returns the configurations that connect it, and with what. root is the tree for the scope Project.
	files    func(p places) []File
	projects bool // it has configurations for one tree
	Support  []Support
	Restart  string // what makes it read its configuration
}

// places are what the entries of a table are made with.
type places struct {
	env.Env
	scope    Scope
	root     string // of the tree, for the scope Project
	programs Programs
	hooks    config.Hooks
}

// Programs are the absolute paths of ours that agents are to start.
type Programs struct {
	CLI string `json:"ctxledger"`
	MCP string `json:"ctxmcp"`
	// Hook answers hooks, as the command line does, and starts sooner. "": it is not there.
	Hook string `json:"ctxhook,omitempty"`
}

// below returns a path in the user's home, or in the tree.
func (p places) below(steps ...string) string {
	base := p.Home
	if p.scope == Project {
		base = p.root
	}
	return filepath.Join(append([]string{base}, steps...)...)
}

// name is the name of our server in every configuration.
const name = "ctxledger"

const claudeRestart = "start a new session"

// Hosts returns the table of the agents.
//
//size:ok a table
func Hosts() []Host {
	return []Host{
		{
			Agent: sessionfile.ClaudeCode, Label: "Claude Code", Program: "claude",
			Package: "@anthropic-ai/claude-code", dir: claudecode.ConfigDir, sessions: "projects", files: claudeCode,
			projects: true, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				works(Recording, "its session files"),
				works(Shrinking, "hook PostToolUse"),
				works(Guarding, "hook PreToolUse"),
				works(Context, "hook SessionStart"),
				works(Summary, "hook PreCompact"),
				works(Restoring, "hook UserPromptSubmit after a compaction"),
			},
		},
		{
			Agent: ClaudeDesktop, Label: "Claude Desktop", dir: desktopDir, files: claudeDesktop,
			Restart: "quit it and open it again",
			Support: []Support{
				works(Tools, "MCP"),
				cannot(Recording, "it keeps no session files"),
				cannot(Shrinking, noHooks),
				cannot(Guarding, noHooks),
				cannot(Context, noHooks+"; ask for the prompt \"memory\""),
				cannot(Summary, noHooks),
				cannot(Restoring, noHooks),
			},
		},
		{
			Agent: sessionfile.Codex, Label: "Codex", Program: "codex", Package: "@openai/codex", dir: codexDir,
			sessions: "sessions", files: codex, projects: true, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				works(Recording, "its session files"),
				later(Shrinking, "hook PostToolUse"),
				later(Guarding, "hook PreToolUse"),
				later(Context, "hook SessionStart"),
				cannot(Summary, "its hook PreCompact can only veto"),
				later(Restoring, "hook SessionStart after a compaction"),
			},
		},
		{
			Agent: sessionfile.Gemini, Label: "Gemini CLI", Program: "gemini", Package: "@google/gemini-cli",
			dir:   func(e env.Env) string { return filepath.Join(e.Home, ".gemini") },
			files: settingsOf(".gemini"), projects: true, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				later(Recording, notFollowed),
				later(Shrinking, "hook AfterTool"),
				later(Guarding, "hook BeforeTool"),
				later(Context, "hook SessionStart"),
				cannot(Summary, "its hook PreCompress only informs"),
				later(Restoring, "hook BeforeAgent after a compression that the session file shows"),
			},
		},
		{
			Agent: sessionfile.Qwen, Label: "Qwen Code", Program: "qwen", Package: "@qwen-code/qwen-code",
			dir:   func(e env.Env) string { return filepath.Join(e.Home, ".qwen") },
			files: settingsOf(".qwen"), projects: true, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				later(Recording, notFollowed),
				later(Shrinking, "hook PostToolUse"),
				later(Guarding, "hook PreToolUse"),
				later(Context, "hook SessionStart"),
				later(Summary, "hook PreCompact"),
				later(Restoring, "hook SessionStart after a compaction"),
			},
		},
		{
			Agent: sessionfile.OpenCode, Label: "opencode", Program: "opencode", Package: "opencode-ai",
			dir: openCodeDir, files: openCode, projects: true, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				later(Recording, "its database is not read yet"),
				later(Shrinking, "a plugin's tool.execute.after, which a failed tool does not reach"),
				later(Guarding, "a plugin's tool.execute.before"),
				later(Context, "a plugin's experimental.chat.system.transform"),
				later(Summary, "a plugin's experimental.session.compacting"),
				later(Restoring, "a plugin's event session.compacted"),
			},
		},
		{
			Agent: sessionfile.Pi, Label: "pi", Program: "pi", Package: "@mariozechner/pi-coding-agent",
			dir: func(e env.Env) string { return filepath.Join(e.Home, ".pi") }, files: pi, projects: true,
			Restart: claudeRestart,
			Support: []Support{
				works(Tools, "an extension of ours: it has no MCP client"),
				later(Recording, notFollowed),
				later(Shrinking, "an extension's event tool_result"),
				later(Guarding, "an extension's event tool_call"),
				later(Context, "an extension's event before_agent_start"),
				later(Summary, "an extension's event session_before_compact, which takes a summary of ours"),
				later(Restoring, "an extension's event session_compact"),
			},
		},
		{
			Agent: sessionfile.Cline, Label: "Cline", Program: "cline", Package: "cline",
			dir:   func(e env.Env) string { return filepath.Join(e.Home, ".cline") },
			files: cline, Restart: claudeRestart,
			Support: []Support{
				works(Tools, "MCP"),
				later(Recording, notFollowed),
				later(Shrinking, "a plugin's afterTool: hooks cannot replace a result"),
				later(Guarding, "hook PreToolUse"),
				later(Context, "a plugin's beforeRun: what hook TaskStart says does not reach the model"),
				cannot(Summary, "it runs no hook before a compaction"),
				cannot(Restoring, "it has no event after a compaction"),
			},
		},
	}
}

const noHooks = "it has no hooks"

// HostOf returns the row of an agent, by any of its names.
func HostOf(agent string) (Host, bool) {
	for _, h := range Hosts() {
		if string(h.Agent) == agentname.Key(agent) {
			return h, true
		}
	}
	return Host{}, false
}

// desktopDir is where Claude Desktop keeps its configuration.
func desktopDir(e env.Env) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support", "Claude")
	case "windows":
		return filepath.Join(cmp.Or(e.Lookup("APPDATA"), filepath.Join(e.Home, "AppData", "Roaming")), "Claude")
	}
	return filepath.Join(configHome(e), "Claude")
}

// configHome is the directory of configurations on Linux.
func configHome(e env.Env) string {
	return cmp.Or(e.Lookup("XDG_CONFIG_HOME"), filepath.Join(e.Home, ".config"))
}

func codexDir(e env.Env) string {
	return cmp.Or(e.Lookup("CODEX_HOME"), filepath.Join(e.Home, ".codex"))
}

func openCodeDir(e env.Env) string { return filepath.Join(configHome(e), "opencode") }
