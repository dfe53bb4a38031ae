package e2e

import (
	"cmp"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lab/shown"
)

// reader does what a page says, in a home with a checkout in ~/ctxledger, whose programs are in PATH, and an empty project in
// ~/shop.
type reader struct {
	t *testing.T
	*sandbox.Sandbox
	terminal    *terminal
	own, theirs *strings.Replacer // from what a page has to what it is here, and back
	blocks      int               // of the page, so far
}

func newReader(t *testing.T) *reader {
	t.Helper()
	s := newBox(t)
	s.Workspace, s.State = filepath.Join(s.Home, "shop"), filepath.Join(s.Home, ".local", "state", "ctxledger")
	server, model := freePort(t), freePort(t)
	r := &reader{t: t, Sandbox: s,
		own:    strings.NewReplacer("/home/me", s.Home, "7801", server, "7802", model),
		theirs: strings.NewReplacer(bin, ownDir, s.Home, "/home/me", ":"+server, ":7801", "port "+model, "port 7802")}
	r.has("shop")
	top := r.has("ctxledger")
	checkout(t, top)
	r.terminal = newTerminal(t, s.Workspace, "HOME="+s.Home, "PATH="+filepath.Join(top, "bin")+":"+r.has("bin")+":"+os.Getenv("PATH"))
	return r
}

// freePort returns a port on which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err = cmp.Or(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return port
}

// has makes a directory in the home.
func (r *reader) has(dir string) string {
	r.t.Helper()
	path := filepath.Join(r.Home, dir)
	if err := os.MkdirAll(path, 0o700); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// installed has an agent on the machine, which is not started.
func (r *reader) installed(agent string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.has("bin"), agent), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

// inTheCheckout is a reader who has not left it, and has the programs nowhere else.
func (r *reader) inTheCheckout() { r.types("cd ~/ctxledger; PATH=${PATH#*:}", "") }

// usedClaudeCode is a reader for whom it has worked in the project.
func (r *reader) usedClaudeCode() {
	r.installed("claude")
	dashed := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(r.Workspace, "-")
	file := filepath.Join(r.has(".claude/projects/"+dashed), "05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl")
	write(r.t, file, string(shown.Priced(programtest.Recorded(r.t, r.Workspace))))
}

// save writes a file that the page has: in the home, or in the project.
func (r *reader) save(name, text string) {
	r.t.Helper()
	path, inHome := strings.CutPrefix(name, "~/")
	if !inHome {
		path = "shop/" + name
	}
	r.has(filepath.Dir(path))
	write(r.t, filepath.Join(r.Home, path), r.own.Replace(text))
}

// types types a command. What one that goes on in the background shows is awaited.
func (r *reader) types(command, page string) string {
	r.t.Helper()
	if target, made := strings.CutPrefix(command, "make "); made {
		command = "make --no-print-directory -nC " + absolute(r.t, "../..") + " " + target
	}
	lines := 0
	if strings.HasSuffix(command, "&") {
		lines = strings.Count(page, "\n")
	}
	out, status := r.terminal.run(r.own.Replace(command), lines)
	if status != 0 {
		r.t.Errorf("%s: exit status %d", command, status)
	}
	return out
}

// chats are the agents in which a page has a chat: where each finds our server, and where it starts it.
var chats = []struct{ name, config, dir string }{
	{"claude-ai", ".config/Claude/claude_desktop_config.json", "/"},
	{"gemini-cli-mcp-client", ".gemini/settings.json", "shop"},
}

// calls calls a tool with arguments in JSON, as the model of a chat does, and returns the answer.
func (r *reader) calls(call, _ string) string {
	r.t.Helper()
	tool, raw, _ := strings.Cut(call, " ")
	var arguments map[string]any
	if err := json.Unmarshal([]byte(raw), &arguments); err != nil {
		r.t.Fatalf("%s: %v", call, err)
	}
	for _, c := range chats {
		config, err := os.ReadFile(filepath.Join(r.Home, c.config))
		if err != nil {
			continue // another agent is connected
		}
		var servers struct{ MCPServers map[string]mcpCommand }
		if err := json.Unmarshal(config, &servers); err != nil {
			r.t.Fatal(err)
		}
		dir := c.dir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(r.Home, dir)
		}
		chat := chatIn(r.t, r.Sandbox, c.name, dir, servers.MCPServers["ctxledger"])
		text, err := chat.Call(deadlined(r.t), tool, arguments, nil)
		if err != nil {
			r.t.Error(err)
		}
		return strings.TrimRight(text, "\n") + "\n"
	}
	r.t.Fatal("no agent has a configuration")
	return ""
}

// opens opens a file in an editor that is configured as the page says, and returns what it shows: lenses above their lines,
// hints behind theirs, findings below.
func (r *reader) opens(name, page string) string {
	r.t.Helper()
	config := string(read(r.t, filepath.Join(r.Home, ".config", "helix", "languages.toml")))
	set := regexp.MustCompile(`command = "([^"]+)"\nconfig = (\{.+\})\n`).FindStringSubmatch(config)
	if set == nil {
		r.t.Fatalf("there is no server in %s", config)
	}
	var settings map[string]any
	inline := regexp.MustCompile(`(\w+) = `).ReplaceAllString(set[2], `"$1": `) // a table of TOML, in JSON
	if err := json.Unmarshal([]byte(inline), &settings); err != nil {
		r.t.Fatalf("%s: %v", inline, err)
	}
	text := string(read(r.t, filepath.Join(r.Workspace, name)))
	e := editing(r.t, r.Sandbox, set[1], settings)
	if err := e.Open(uriOf(r.Sandbox, name), "markdown", text); err != nil {
		r.t.Fatal(err)
	}
	out := ""
	_, _ = e.Until(deadlined(r.t), func(told []scriptededitor.Message) bool { // the caller compares it again
		out = r.window(e, told, name, text)
		return *update || transcribed(out, page)
	})
	return out
}

// window returns what an editor that was told this shows of a file.
func (r *reader) window(e *scriptededitor.Editor, told []scriptededitor.Message, name, text string) string {
	r.t.Helper()
	w := witness{t: r.t, box: r.Sandbox}
	type at struct{ Start struct{ Line int } }
	var lenses []struct {
		Range   at
		Command lensCommand
	}
	var hints []struct {
		Position struct{ Line int }
		Label    string
	}
	var found struct {
		Diagnostics []struct {
			Range   at
			Message string
		}
	}
	for _, m := range told {
		if m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), uriOf(r.Sandbox, name)) {
			found.Diagnostics = nil
			if err := json.Unmarshal(m.Params, &found); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	w.callIn(e, "textDocument/codeLens", name, nil, &lenses)
	w.callIn(e, "textDocument/inlayHint", name, map[string]any{"range": span(0, strings.Count(text, "\n"))}, &hints)
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		for _, l := range lenses {
			if l.Range.Start.Line == i {
				b.WriteString(l.Command.Title + "\n")
			}
		}
		b.WriteString(line)
		for _, h := range hints {
			if h.Position.Line == i {
				b.WriteString("  " + h.Label)
			}
		}
		b.WriteString("\n")
		for _, f := range found.Diagnostics {
			if f.Range.Start.Line == i {
				b.WriteString("  ^ " + f.Message + "\n")
			}
		}
	}
	return b.String()
}
