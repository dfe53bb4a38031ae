package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/confedit"
)

// File is a configuration of an agent, and what connects the agent in it. It has one of the three forms.
type File struct {
	Path string
	// Others are paths at one of which the agent may have it instead. The first that exists counts.
	Others  []string
	Entries []confedit.Entry // of a JSON file
	// Strict: the agent takes plain JSON alone. In a file with comments or trailing commas it reads nothing.
	Strict bool
	Table  *confedit.Table // of a TOML file
	Whole  string          // the whole text of a file of our own
}

// server is how most agents name a server of MCP.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// Always has Claude Code wait for the server when it starts, and offer its tools at once: what replaces a large
	// result names them.
	Always bool `json:"alwaysLoad,omitempty"`
}

// value returns a value as JSON.
func value(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // plain values
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func serverEntry(v any, path ...string) []confedit.Entry {
	return []confedit.Entry{{Path: append(path, name), Value: value(v)}}
}

// hook is a hook of Claude Code.
type hook struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookCommand `json:"hooks"`
}

type hookCommand struct {
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
	{"UserPromptSubmit", "", 5, config.Hooks.Prompts},
	{"PreToolUse", ".*", 5, nil},
	{"PostToolUse", ".*", 5, config.Hooks.Results},
	{"PreCompact", "", 10, config.Hooks.Compactions},
	{"PostCompact", "", 10, nil},
	{"SessionEnd", "", 1, nil}, // Claude Code grants 1.5 s to all together
}

// agentOfHooks is the first argument of our hook program for an event; the event is the second.
const agentOfHooks = "claude-code"

// hookCall returns the program that answers an event of hooks, and its arguments: the one that is made for it, or where
// there is none, the command line. With a call goes the server of which the person lets agents use the tools that only
// read: by agreeing to this entry.
func (p Programs) hookCall(event string) (program string, args []string) {
	args = []string{agentOfHooks, event}
	if strings.HasSuffix(event, "ToolUse") && p.MCP != "" {
		args = append(args, p.MCP)
	}
	if p.Hook != "" {
		return p.Hook, args
	}
	return p.CLI, append([]string{"hook"}, args...)
}

// claudeHooks returns the hooks of Claude Code, without those that would do nothing.
func claudeHooks(p Programs, do config.Hooks) (out []confedit.Entry) {
	for _, e := range claudeEvents {
		if e.wanted != nil && !e.wanted(do) {
			continue
		}
		program, args := p.hookCall(e.event)
		out = append(out, confedit.Entry{Path: []string{"hooks", e.event}, List: true, Value: value(hook{e.matcher,
			[]hookCommand{{"command", program, args, e.timeout}}})})
	}
	return out
}

// claudeCode returns the files of Claude Code. They are strict: version 2.1.328 does not start with a comment or a
// trailing comma in .claude.json, says of a settings file that nothing in it is in effect, and passes over .mcp.json
// without a word. A byte order mark is no trouble to it.
func claudeCode(p places) []File {
	servers := serverEntry(server{"stdio", p.programs.MCP, []string{}, true}, "mcpServers")
	if p.scope == Project {
		return []File{{Path: p.below(".mcp.json"), Entries: servers, Strict: true},
			{Path: p.below(".claude", "settings.local.json"), Entries: claudeHooks(p.programs, p.hooks), Strict: true}}
	}
	own := p.below(".claude.json")
	if p.Lookup("CLAUDE_CONFIG_DIR") != "" {
		own = filepath.Join(claudecode.ConfigDir(p.Env), ".claude.json")
	}
	return []File{{Path: own, Entries: servers, Strict: true},
		{Path: filepath.Join(claudecode.ConfigDir(p.Env), "settings.json"),
			Entries: claudeHooks(p.programs, p.hooks), Strict: true}}
}

func claudeDesktop(p places) []File {
	return []File{{Path: filepath.Join(desktopDir(p.Env), "claude_desktop_config.json"),
		Entries: serverEntry(server{"", p.programs.MCP, []string{}, false}, "mcpServers")}}
}

// passed are the variables that say where ledgers are. Codex gives its servers only those that it is told to.
const passed = `["CTXLEDGER_STATE", "XDG_STATE_HOME"]`

func codex(p places) []File {
	path := filepath.Join(codexDir(p.Env), "config.toml")
	if p.scope == Project {
		path = p.below(".codex", "config.toml")
	}
	return []File{{Path: path, Table: &confedit.Table{Path: []string{"mcp_servers", name},
		Body: "command = " + tomlString(p.programs.MCP) + "\nargs = []\nenv_vars = " + passed + "\n"}}}
}

// tomlString returns a text as a basic string of TOML, whose escapes are those of JSON.
func tomlString(s string) string { return string(value(strings.ToValidUTF8(s, "\ufffd"))) }

// settingsOf returns the configurations of agents that are made from Gemini CLI.
func settingsOf(dir string) func(p places) []File {
	return func(p places) []File {
		return []File{{Path: p.below(dir, "settings.json"),
			Entries: serverEntry(server{"", p.programs.MCP, []string{}, false}, "mcpServers")}}
	}
}

func openCode(p places) []File {
	dir := openCodeDir(p.Env)
	if p.scope == Project {
		dir = p.root
	}
	type local struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}
	return []File{{Path: filepath.Join(dir, "opencode.json"), Others: []string{filepath.Join(dir, "opencode.jsonc")},
		Entries: serverEntry(local{"local", []string{p.programs.MCP}, true}, "mcp")}}
}

func cline(p places) []File {
	type transport struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	return []File{{Path: p.below(".cline", "data", "settings", "cline_mcp_settings.json"),
		Entries: serverEntry(map[string]transport{"transport": {"stdio", p.programs.MCP}}, "mcpServers")}}
}

// piBridge is the extension of pi, with the path of our server to be put in.
//
//go:embed pi.ts
var piBridge string

func pi(p places) []File {
	path := p.below(".pi", "agent", "extensions", "ctxledger.ts")
	if p.scope == Project {
		path = p.below(".pi", "extensions", "ctxledger.ts")
	}
	return []File{{Path: path, Whole: strings.Replace(piBridge, `"CTXMCP"`, string(value(p.programs.MCP)), 1)}}
}

// bridgeProgram returns the program that a bridge of ours starts.
func bridgeProgram(text string) string {
	const before = "const program = "
	_, rest, _ := strings.Cut(text, before)
	line, _, _ := strings.Cut(rest, "\n")
	path, err := strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(line), ";"))
	if err != nil {
		return ""
	}
	return path
}

// ignored says why an agent reads nothing of the file with a text, and what to do; "": it reads it.
func (f File) ignored(h Host, text []byte) string {
	if !f.Strict {
		return ""
	}
	beyond := confedit.Beyond(text)
	if beyond == "" {
		return ""
	}
	return f.Path + " has " + beyond + ", and " + h.Label +
		" takes nothing from such a file: remove all comments, and commas behind a last item"
}
