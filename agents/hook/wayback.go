package hook

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/yamldoc"
)

// A stub is of use only to an agent that may read back what it replaced. What Claude Code lets an agent do is in files of
// its own, so they are looked at for every result that could be replaced. Whatever is not known counts as not permitted:
// the result then stays, as it would without us.

const (
	// serverName is how install names our server, and serverTools how the names of its tools begin.
	serverName  = "ctxledger"
	serverTools = mcpPrefix + serverName + "__"
	mcpPrefix   = "mcp__"
	// readingTool is the tool that stubs name.
	readingTool = serverTools + "read_artifact"
)

// reading are those of our tools that a person agrees to at install: they change nothing.
func reading() []string { return []string{"read_artifact", "context_status", "changes"} }

// Bounds of what is read of the files of Claude Code.
const (
	maxClaudeFile = 8 << 20
	maxAgentFile  = 256 << 10
	maxAgentFiles = 500
)

// agreed reports whether the call is one that the person agreed to at install: of a tool that only reads, of the very
// server that was installed, whatever else a repository calls by its name.
func (r *run) agreed() bool {
	name, found := strings.CutPrefix(r.event.Tool, serverTools)
	return found && slices.Contains(reading(), name) && r.Server != "" && r.permissions().server == r.Server
}

// readable reports whether the agent of the event can call what reads a stub back, without being refused or asked.
func (r *run) readable() bool {
	if r.changedByFlags() || !r.inherits() {
		return false
	}
	switch p := r.permissions(); {
	case !p.running || anyCovers(p.denied, readingTool):
		return false
	case p.server == r.Server, anyCovers(p.allowed, readingTool):
		return r.event.Mode == "" || slices.Contains([]string{"default", "acceptEdits", "bypassPermissions"}, r.event.Mode)
	default:
		return r.event.Mode == "bypassPermissions"
	}
}

// permissions are what the files of Claude Code say of our server and its tools.
type permissions struct {
	server          string // the program of all servers of our name; "": there is none, or it is not ours alone
	running         bool   // Claude Code starts one of them
	allowed, denied []string
}

// claudeSettings is a settings file.
type claudeSettings struct {
	Permissions struct {
		Allow, Deny, Ask []string
	}
	AllServers bool            `json:"enableAllProjectMcpServers"`
	Servers    []string        `json:"enabledMcpjsonServers"`
	NotServers []string        `json:"disabledMcpjsonServers"`
	Allowlist  json.RawMessage `json:"allowedMcpServers"`
	Denylist   json.RawMessage `json:"deniedMcpServers"`
}

// claudeServer is a server of MCP.
type claudeServer struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// claudeServers are the servers of a file, by their names.
type claudeServers struct {
	Servers map[string]claudeServer `json:"mcpServers"`
}

// claudeState is .claude.json: what Claude Code remembers of a user.
type claudeState struct {
	claudeServers
	Projects map[string]struct {
		claudeServers
		Disabled   []string `json:"disabledMcpServers"`
		Enabled    []string `json:"enabledMcpjsonServers"`
		NotEnabled []string `json:"disabledMcpjsonServers"`
	} `json:"projects"`
}

// permissions reads the files. The zero value: what they say is not known.
func (r *run) permissions() (p permissions) {
	state, shared, ok := claudeState{}, claudeServers{}, true
	approved, refused := false, false
	for _, f := range r.settingsFiles() {
		var s claudeSettings
		ok = ok && decoded(f.path, &s) && s.Allowlist == nil && s.Denylist == nil
		p.denied = slices.Concat(p.denied, s.Permissions.Deny, s.Permissions.Ask)
		refused = refused || slices.Contains(s.NotServers, serverName)
		if f.trusted {
			p.allowed = append(p.allowed, s.Permissions.Allow...)
			approved = approved || s.AllServers || slices.Contains(s.Servers, serverName)
		}
	}
	if !ok || !decoded(r.stateFile(), &state) || exists(filepath.Join(managedDir(), "managed-mcp.json")) {
		return permissions{}
	}
	var own []claudeServer // that start without being approved
	add := func(in claudeServers) {
		if s, found := in.Servers[serverName]; found {
			own = append(own, s)
		}
	}
	add(state.claudeServers)
	all := []claudeServer{}
	for _, dir := range r.projectDirs() {
		of := state.Projects[dir]
		add(of.claudeServers)
		approved = approved || slices.Contains(of.Enabled, serverName)
		refused = refused || slices.Contains(of.NotEnabled, serverName)
		if slices.Contains(of.Disabled, serverName) || !decoded(filepath.Join(dir, ".mcp.json"), &shared) {
			return permissions{}
		}
		if s, found := shared.Servers[serverName]; found {
			if len(s.Env) > 0 {
				return permissions{} // a repository would say what our program does
			}
			all = append(all, s)
		}
	}
	p.running = len(own) > 0 || len(all) > 0 && approved && !refused
	p.server = onlyProgram(append(all, own...))
	p.running = p.running && p.server != ""
	return p
}

// onlyProgram returns the program that all servers start, "" if they do not all start the same one of ours.
func onlyProgram(all []claudeServer) string {
	for _, s := range all {
		base := strings.TrimSuffix(s.Command[strings.LastIndexAny(s.Command, `/\`)+1:], ".exe")
		if s.Command != all[0].Command || len(s.Args) > 0 || base != "ctxmcp" {
			return ""
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[0].Command
}

// settingsFile is where settings are; trusted is false for what a repository brings along, whose permissions count only
// if it is trusted.
type settingsFile struct {
	path    string
	trusted bool
}

func (r *run) settingsFiles() []settingsFile {
	all := []settingsFile{{filepath.Join(managedDir(), "managed-settings.json"), true},
		{filepath.Join(claudecode.ConfigDir(r.Env), "settings.json"), true}}
	for _, dir := range r.projectDirs() {
		all = append(all, settingsFile{filepath.Join(dir, ".claude", "settings.json"), false},
			settingsFile{filepath.Join(dir, ".claude", "settings.local.json"), true})
	}
	return all
}

// projectDirs are the directories whose settings can count.
func (r *run) projectDirs() []string {
	dirs := []string{r.Root}
	if dir := r.Env.Lookup("CLAUDE_PROJECT_DIR"); dir != "" && dir != r.Root {
		dirs = append(dirs, dir)
	}
	return dirs
}

func (r *run) stateFile() string {
	if dir := r.Env.Lookup("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return filepath.Join(r.Env.Home, ".claude.json")
}

// managedDir is where the files of an organisation are.
func managedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// decoded reads a file of JSON. A file that is not there says nothing, one that cannot be read is an unknown.
func decoded(path string, into any) bool {
	raw, err := safefs.ReadFile(path, maxClaudeFile)
	if err != nil {
		return !exists(path)
	}
	return json.Unmarshal(bytes.TrimPrefix(raw, []byte("\ufeff")), into) == nil
}

// anyCovers reports whether a rule of a list is about a tool. A rule that is about some of its calls counts.
func anyCovers(rules []string, tool string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		rule, _, _ = strings.Cut(rule, "(")
		if rule == strings.TrimSuffix(serverTools, "__") {
			return true
		}
		matches, err := path.Match(rule, tool)
		return matches && err == nil
	})
}

// changedByFlags reports whether the command line of Claude Code says which tools, servers or settings there are. Where
// it cannot be seen, the files count.
func (r *run) changedByFlags() bool {
	pid := r.Env.Lookup("CLAUDE_PID")
	if !digits().MatchString(pid) {
		return false
	}
	line, err := safefs.ReadFile("/proc/"+pid+"/cmdline", maxAgentFile)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(string(line), "\x00"), func(word string) bool {
		flag, _, _ := strings.Cut(word, "=")
		return slices.Contains([]string{"--strict-mcp-config", "--mcp-config", "--disallowedTools", "--disallowed-tools",
			"--tools", "--settings", "--setting-sources", "--bare", "--safe-mode"}, flag)
	})
}

func digits() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,9}$`) }

// everyTool is the one subagent of Claude Code itself that is known to have all tools.
const everyTool = "general-purpose"

// inherits reports whether the agent of the event has the tools of the session: the main one has, and a subagent whose
// definition says nothing of tools, servers and permissions.
func (r *run) inherits() bool {
	if r.event.AgentType == "" {
		return r.event.Agent == ""
	}
	found, limited := false, false
	dirs := []string{filepath.Join(claudecode.ConfigDir(r.Env), "agents")}
	for _, dir := range r.projectDirs() {
		dirs = append(dirs, filepath.Join(dir, ".claude", "agents"))
	}
	for _, dir := range dirs {
		left := maxAgentFiles
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if left--; err != nil || left < 0 {
				return fs.SkipAll
			}
			if filepath.Ext(path) != ".md" || d.IsDir() {
				return nil
			}
			raw, err := safefs.ReadFile(path, maxAgentFile)
			front, _, _ := yamldoc.Front(string(raw))
			if err == nil && defines(front, r.event.AgentType) {
				found, limited = true, limited || restricts().MatchString(front)
			}
			return nil
		})
		if err != nil || left < 0 {
			return false
		}
	}
	return !limited && (found || r.event.AgentType == everyTool)
}

// defines reports whether the head of a file is that of an agent.
func defines(front, agent string) bool {
	for line := range strings.SplitSeq(front, "\n") {
		if name, found := strings.CutPrefix(line, "name:"); found {
			return strings.Trim(strings.TrimSpace(name), `"'`) == agent
		}
	}
	return false
}

// restricts matches what changes the tools of an agent, or what it may do.
func restricts() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^["']?(tools|disallowedTools|mcpServers|permissionMode)["']?[ \t]*:`)
}
