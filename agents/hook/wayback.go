package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/shell"
)

// A stub is of use only to an agent that may read back what it replaced: the model has to be offered our tool, which the
// session file says, and the call has to run without a question, which the person's consent and rules say. Whatever is
// not known counts as not permitted: the result then stays, as it would without us.

const (
	installed = "mcp__ctxledger"                  // how Claude Code names the server that install adds
	plugged   = "mcp__plugin_ctxledger_ctxledger" // and that of our plugin

	maxClaudeFile = 8 << 20               // of a settings file of Claude Code, in bytes
	glance        = 10 * time.Millisecond // between two looks at a session file that lags behind
)

// reading are those of our tools that a person agrees to at install: they change nothing. The first reads stubs back.
func reading() []string { return []string{"read_artifact", "context_status", "changes"} }

// agreed reports whether the call is one that the person agreed to at install: of a tool that only reads, of the very
// server that was installed, whatever else a repository calls by its name.
func (r *run) agreed() bool {
	tool, ours := strings.CutPrefix(r.event.Tool, installed+"__")
	return ours && slices.Contains(reading(), tool) && r.Server != "" && r.program() == r.Server
}

// readable reports whether the agent of the event can call what reads a stub back, without being refused or asked.
func (r *run) readable(ctx context.Context) bool {
	var may []string
	for _, server := range []string{installed, plugged} {
		if r.permitted(server) {
			may = append(may, server+"__"+reading()[0])
		}
	}
	return may != nil && slices.ContainsFunc(r.offered(ctx), func(tool string) bool {
		return slices.Contains(may, tool)
	})
}

// offered returns the tools that the model of the event is offered, nil if that is not known. It waits for a session file
// that lags behind, or is not there yet, as at the first call of a session. One that never comes it waits for once.
func (r *run) offered(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, claudecode.Lag)
	defer cancel()
	for {
		tools, there, behind := r.look()
		if !behind {
			return tools
		}
		select {
		case <-ctx.Done():
			if !there {
				r.known.looking.Lock()
				defer r.known.looking.Unlock()
				r.known.unwritten = r.event.File()
			}
			return nil
		case <-time.After(glance):
		}
	}
}

// look looks once for the tools that the model is offered. there says that the session file exists, and behind that the
// answer may be in it a moment later.
func (r *run) look() (tools []string, there, behind bool) {
	r.known.looking.Lock()
	defer r.known.looking.Unlock()
	path := r.event.File()
	behind = path != "" && path != r.known.unwritten
	r.file(func(f io.ReaderAt, size int64) {
		there = true
		tools, behind = r.known.shapes.Offered(f, size, r.event.CallID)
	})
	return tools, there, behind
}

// permitted reports whether a call of the reading tool of a server runs without a question.
func (r *run) permitted(server string) bool {
	rules, known := r.rules()
	tool := server + "__" + reading()[0]
	against := func(rule string) bool {
		rule, _, _ = strings.Cut(rule, "(") // one about some calls counts
		matches, err := path.Match(rule, tool)
		return matches || err != nil || rule == server
	}
	if !known || slices.ContainsFunc(slices.Concat(rules.Deny, rules.Ask), against) {
		return false
	}
	if server == installed {
		switch r.program() {
		case "":
			return false
		case r.Server:
			return true
		}
	}
	return r.event.Mode == "bypassPermissions" || slices.ContainsFunc(rules.Allow, func(rule string) bool {
		return rule == tool || rule == server || rule == server+"__*"
	})
}

// withCommand returns a stub that names a second way back as well: the tool may go in the middle of a session, and the
// person's consent with it.
func (r *run) withCommand(stub string) string {
	id, _, _ := artifacts.StubOf(stub)
	cli := "ctxledger" // the plugin has it in the PATH of commands
	if r.Server != "" {
		cli = shell.Quote(filepath.ToSlash(filepath.Join(filepath.Dir(r.Server), cli)))
	}
	head, shown, _ := strings.Cut(stub, "\n"+artifacts.ReadMore)
	line, shown, _ := strings.Cut(shown, "\n")
	return head + "\n" + artifacts.ReadMore + line + "; without that tool: " + cli + " artifact read " + id + "\n" +
		shown
}

// rules are those of the settings files for what runs without a question.
type rules struct{ Allow, Deny, Ask []string }

// rules returns the rules of all settings files. What a repository allows counts only where it is trusted, which is not
// known here. known is false if a file is not understood.
func (r *run) rules() (all rules, known bool) {
	take := func(trusted bool, of ...string) bool {
		var s struct{ Permissions rules }
		if !decoded(filepath.Join(of...), &s) {
			return false
		}
		all.Deny, all.Ask = append(all.Deny, s.Permissions.Deny...), append(all.Ask, s.Permissions.Ask...)
		if trusted {
			all.Allow = append(all.Allow, s.Permissions.Allow...)
		}
		return true
	}
	known = take(true, managed(), "managed-settings.json") && take(true, claudecode.ConfigDir(r.Env), "settings.json")
	for _, dir := range r.projects() {
		known = known && take(true, dir, ".claude", "settings.local.json") &&
			take(false, dir, ".claude", "settings.json")
	}
	return all, known
}

// mcpServers are the servers that a file of Claude Code names.
type mcpServers struct {
	Servers map[string]struct {
		Command string
		Args    []string
		Env     map[string]string
	} `json:"mcpServers"`
}

// program returns the program that the server of our name starts; "": none, one that is not ours, or that differs with
// where it is named.
func (r *run) program() (program string) {
	var user struct {
		mcpServers
		Projects map[string]mcpServers
	}
	if !decoded(claudecode.StateFile(r.Env), &user) {
		return ""
	}
	all := []mcpServers{user.mcpServers}
	for _, dir := range r.projects() {
		var shared mcpServers
		if !decoded(filepath.Join(dir, ".mcp.json"), &shared) {
			return ""
		}
		if len(shared.Servers["ctxledger"].Env) > 0 {
			return "" // a repository would say what our program does
		}
		all = append(all, shared, user.Projects[dir])
	}
	for _, file := range all {
		s, named := file.Servers["ctxledger"]
		switch {
		case !named:
		case program != "" && s.Command != program, len(s.Args) > 0:
			return ""
		default:
			program = s.Command
		}
	}
	if base := filepath.Base(program); strings.TrimSuffix(base, ".exe") != "ctxmcp" {
		return ""
	}
	return program
}

// projects are the directories whose settings can count.
func (r *run) projects() []string {
	dirs := []string{r.Root}
	if dir := r.Env.Lookup("CLAUDE_PROJECT_DIR"); dir != "" && dir != r.Root {
		dirs = append(dirs, dir)
	}
	return dirs
}

// managed is where the settings of an organisation are.
func managed() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// decoded reads a file of JSON. A file that is not there says nothing, one that cannot be read is not known.
func decoded(path string, into any) bool {
	raw, err := safefs.ReadFile(path, maxClaudeFile)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return json.Unmarshal(bytes.TrimPrefix(raw, []byte("\ufeff")), into) == nil
}
