package e2e

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// desktopPage says what works in Claude Desktop.
const desktopPage = "../../docs/claude-desktop.md"

// manifest is what Claude Desktop reads of the manifest of a bundle.
type manifest struct {
	Name, Version string
	Server        struct {
		Type      string
		Entry     string     `json:"entry_point"`
		MCPConfig mcpCommand `json:"mcp_config"`
	}
	Settings      map[string]struct{ Type, Title string } `json:"user_config"`
	Compatibility struct{ Platforms []string }
}

// mcpCommand is how a server is started.
type mcpCommand struct {
	Command string
	Args    []string
	Env     map[string]string
}

// unpacked unpacks the bundle of the release as Claude Desktop does, and returns the folder and its manifest.
func unpacked(t *testing.T, bundle string) (dir string, m manifest) {
	t.Helper()
	archive, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }() // it was only read
	dir = t.TempDir()
	for _, f := range archive.File {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(from) // checks the sum, too
		if err == nil {
			err = os.WriteFile(to, content, f.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	return dir, m
}

// command returns how Claude Desktop starts the server of a bundle in dir. A setting without a value keeps its placeholder.
func (m manifest) command(dir string, settings map[string]string) mcpCommand {
	replace := []string{"${__dirname}", dir}
	for name, value := range settings {
		replace = append(replace, "${user_config."+name+"}", value)
	}
	fill := strings.NewReplacer(replace...).Replace
	c := mcpCommand{Command: fill(m.Server.MCPConfig.Command), Env: map[string]string{}}
	for _, a := range m.Server.MCPConfig.Args {
		c.Args = append(c.Args, fill(a))
	}
	for name, value := range m.Server.MCPConfig.Env {
		c.Env[name] = fill(value)
	}
	return c
}

// desktop starts a server as Claude Desktop does: in no particular directory.
func desktop(t *testing.T, s *sandbox.Sandbox, c mcpCommand) *sandbox.Client {
	t.Helper()
	return chatIn(t, s, "claude-ai", filepath.VolumeName(s.Top)+string(filepath.Separator), c)
}

// chatIn starts a server as a client with a name does, in a directory.
func chatIn(t *testing.T, s *sandbox.Sandbox, name, dir string, c mcpCommand) *sandbox.Client {
	t.Helper()
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Dir, cmd.Env = dir, s.Env()
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	client, err := sandbox.Dial(deadlined(t), name, cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// says calls a tool, and wants its answer to have some words.
func says(t *testing.T, c *sandbox.Client, tool string, arguments map[string]any, words ...string) string {
	t.Helper()
	text, err := c.Call(deadlined(t), tool, arguments, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s %v says nothing of %q: %s", tool, arguments, w, text)
		}
	}
	return text
}

// TestTheRealBundleOfTheDesktopStarts unpacks the bundle of the release, holds its manifest against what is in it, and starts
// the server as the manifest says, with and without a project directory.
func TestTheRealBundleOfTheDesktopStarts(t *testing.T) {
	r := released(t)
	dir, m := unpacked(t, r.bundle)
	if !slices.Equal(m.Compatibility.Platforms, []string{system()}) || m.Server.Type != "binary" ||
		filepath.Base(r.bundle) != m.Name+"-"+m.Version+"-"+filepath.Base(filepath.Dir(r.plugin))+".mcpb" {
		t.Errorf("%s has the manifest %+v", r.bundle, m)
	}
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if want := []string{"LICENSE", "THIRD_PARTY.txt", "manifest.json", m.Server.Entry}; err != nil ||
		!slices.Equal(files, want) {
		t.Errorf("the bundle has %q, want %q; %v", files, want, err)
	}
	if got := m.command(dir, nil).Command; got != filepath.Join(dir, filepath.FromSlash(m.Server.Entry)) {
		t.Errorf("the command is %s, not %s", got, m.Server.Entry)
	}

	s := newBox(t)
	fact := map[string]any{"action": "save", "name": "build", "body": "make build"}
	get := map[string]any{"action": "get", "name": "build"}
	for name, project := range map[string]map[string]string{"without a project": nil,
		"with a project": {"project": s.Workspace}} {
		t.Run(name, func(t *testing.T) {
			c := desktop(t, s, m.command(dir, project))
			tools, _, err := c.Names(deadlined(t))
			want, _, err2 := connect(t, s, s.Workspace, "plain").Names(deadlined(t))
			if err != nil || err2 != nil || len(tools) == 0 || !slices.Equal(tools, want) {
				t.Errorf("tools %q, want %q; %v, %v", tools, want, err, err2)
			}
			if fact["scope"] = "user"; project != nil {
				fact["scope"] = "project"
			}
			says(t, c, "memory", fact, "saved", "scope "+fact["scope"].(string))
			says(t, c, "memory", get, "make build")
		})
	}
	if got := m.Server.MCPConfig.Env["CLAUDE_PROJECT_DIR"]; got != "${user_config.project}" {
		t.Errorf("the variable that may name no directory is %q", got)
	}
	c := m.command(dir, nil)
	c.Args = append(c.Args, "--workspace", "${user_config.project}") // an argument has to name one
	if text, err := desktop(t, s, c).Call(deadlined(t), "memory", get, nil); err == nil ||
		!strings.Contains(err.Error(), "--workspace names") {
		t.Errorf("%s, %v", text, err)
	}
}

// desktopSpans are the kinds of what the page has as code, as it is checked. What is in no kind fails the test.
var desktopSpans = []struct {
	kind  string
	match *regexp.Regexp
}{
	{"make", regexp.MustCompile(`^make ([a-z]+)$`)},
	{"command", regexp.MustCompile(`^ctxledger ([a-z -]+)$`)},
	{"name", regexp.MustCompile(`^([a-z]+(?:_[a-z]+)?)$`)}, // of a tool, a prompt or an argument
	{"setting", regexp.MustCompile(`^\$\{user_config\.([a-z]+)\}$`)},
	{"argument", regexp.MustCompile(`^"args": \["(--[a-z]+)", "/path/to/project"\]$`)},
	{"flag", regexp.MustCompile(`^(--workspace)$`)},
	{"variable", regexp.MustCompile(`^([A-Z]+(?:_[A-Z]+)+)$`)},
	{"foreign", regexp.MustCompile(`^(mcpb validate|@anthropic-ai/mcpb)$`)},
	{"file", regexp.MustCompile(`^([~%]\S.*[/\\]|claude_desktop_config\.json|dist/ctxledger-VERSION-PLATFORM\.mcpb)$`)},
}

// TestWhatTheDesktopPageNamesExistsInTheRealBundle looks up every tool, prompt, argument, command and file that the page names.
func TestWhatTheDesktopPageNamesExistsInTheRealBundle(t *testing.T) {
	r := released(t)
	dir, m := unpacked(t, r.bundle)
	s := newBox(t)
	c := desktop(t, s, m.command(dir, map[string]string{"project": s.Workspace}))
	tools, prompts, err := c.Names(deadlined(t))
	if err != nil {
		t.Fatal(err)
	}
	page := string(read(t, desktopPage))
	if !strings.Contains(page, `"`+m.Settings["project"].Title+`"`) {
		t.Errorf("the page does not name the setting %q", m.Settings["project"].Title)
	}
	names := slices.Concat(tools, prompts, []string{"notes", "claude_desktop_config"}) // notes: an argument, tried below
	seen := map[string]int{}
	for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(page, -1) {
		kind, x := "", ""
		for _, k := range desktopSpans {
			if found := k.match.FindStringSubmatch(span[1]); found != nil && kind == "" {
				kind, x = k.kind, found[1]
			}
		}
		switch seen[kind]++; {
		case kind == "":
			t.Errorf("the page has %q, which is not checked", span[1])
		case kind == "name" && !slices.Contains(names, x):
			t.Errorf("there is no tool or prompt %q", x)
		case kind == "make" && !strings.Contains("\n"+string(read(t, "../../Makefile")), "\n"+x+":"):
			t.Errorf("there is no task %q", x)
		case kind == "setting" && m.Settings[x].Type != "directory":
			t.Errorf("there is no setting %q", x)
		case kind == "variable" && m.Server.MCPConfig.Env[x] == "":
			t.Errorf("the bundle does not set %q", x)
		case kind == "command":
			run(t, s, append(strings.Fields(x), "--help")...)
		}
	}
	if seen["name"] < 8 || seen["command"] < 2 {
		t.Errorf("the page has %v", seen)
	}
}

// TestTheRealBundleDoesWhatThePageOfTheDesktopSays tries what docs/claude-desktop.md says that works, where the servers of the chat and of
// Claude Code are processes of their own.
func TestTheRealBundleDoesWhatThePageOfTheDesktopSays(t *testing.T) {
	dir, m := unpacked(t, released(t).bundle)
	s := newBox(t)
	lines := strings.Split(strings.TrimSpace(string(run(t, s, "import", absolute(t, recording)))), "\n")
	recorded := lines[len(lines)-1] // a session of Claude Code
	chat := desktop(t, s, m.command(dir, map[string]string{"project": s.Workspace}))
	agent := connect(t, s, s.Workspace, "claude-code")

	// Facts are saved, listed and recalled; those of the user scope are the same in Claude Code.
	says(t, chat, "memory", map[string]any{"action": "save", "name": "tone", "scope": "user",
		"description": "how to write", "body": "Short sentences."})
	says(t, chat, "memory", map[string]any{"action": "list"}, "tone")
	says(t, chat, "memory", map[string]any{"action": "recall", "query": "how should I write"}, "Short sentences.")
	says(t, agent, "memory", map[string]any{"action": "get", "name": "tone"}, "Short sentences.")

	// From Claude Code: the named session, a handle that it named, any part of it.
	if named := prompted(t, chat, "resume", map[string]string{"session": recorded}); !strings.Contains(named, recorded) {
		t.Errorf("the handoff does not name %s: %s", recorded, named)
	}
	file := filepath.Join(s.Workspace, "list.txt")
	write(t, file, "one\ntwo\nthree\n")
	handle := strings.TrimSpace(string(run(t, s, "artifact", "save", file)))
	if part := says(t, chat, "read_artifact", map[string]any{"id": handle, "lines": "2-2"},
		"two"); strings.Contains(part, "three") {
		t.Errorf("line 2 is %s", part)
	}

	// To Claude Code: notes, and the id that reads them back.
	const decided = "Decided in the chat: prices are in cents."
	kept := says(t, chat, "compact_conversation", map[string]any{"notes": decided}, decided)
	id := noted(t, kept, recorded)
	for _, c := range []*sandbox.Client{chat, agent} {
		says(t, c, "read_artifact", map[string]any{"id": id}, decided)
	}
	// Without a name the prompt has the newest session, which is the chat itself now.
	if newest := prompted(t, chat, "resume", nil); !strings.Contains(newest, decided) {
		t.Errorf("the newest session is not the chat with its notes: %s", newest)
	}
	if facts := prompted(t, chat, "memory", nil); !strings.Contains(facts, "Short sentences.") {
		t.Errorf("the prompt memory has %s", facts)
	}

	// A setting that is not filled in is ignored: what is the user's works, and what is the project's says why not.
	alone := desktop(t, s, m.command(dir, nil))
	says(t, alone, "memory", map[string]any{"action": "get", "name": "tone"}, "Short sentences.")
	if text, err := alone.Call(deadlined(t), "read_artifact", map[string]any{"id": handle}, nil); err == nil {
		t.Errorf("an artifact of a project without one: %s", text)
	}
}

// prompted returns the text of a prompt.
func prompted(t *testing.T, c *sandbox.Client, name string, arguments map[string]string) string {
	t.Helper()
	text, err := c.Prompt(deadlined(t), name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// noted returns the id of the session that holds notes, as the answer to them names it. It is not another session.
func noted(t *testing.T, answer, another string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^session (\S+)$`).FindStringSubmatch(answer)
	if found == nil || found[1] == another {
		t.Fatalf("no session of the notes in %s", answer)
	}
	return found[1]
}

// TestTheEntryOfTheDesktopStarts starts the server of the configuration that install writes, and with the argument that
// the page says to add.
func TestTheEntryOfTheDesktopStarts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the directory is that of Linux")
	}
	s := newBox(t)
	dir := filepath.Join(s.Home, ".config", "Claude")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, s, "install", "claude-desktop", "--yes")
	var c struct{ MCPServers map[string]mcpCommand }
	if err := json.Unmarshal(read(t, filepath.Join(dir, "claude_desktop_config.json")), &c); err != nil {
		t.Fatal(err)
	}
	entry := c.MCPServers["ctxledger"]
	says(t, desktop(t, s, entry), "memory", map[string]any{"action": "save", "name": "tone", "scope": "user",
		"body": "Short sentences."}, "saved")
	entry.Args = []string{"--workspace", s.Workspace}
	says(t, desktop(t, s, entry), "memory", map[string]any{"action": "save", "name": "build", "body": "make build"},
		"scope project")
}

// TestTheDesktopAndTheRealAgentHandOver goes both ways between a chat with the bundle and the real Claude Code with the
// plugin: the chat resumes the session of Claude Code, which then reads the notes of the chat.
func TestTheDesktopAndTheRealAgentHandOver(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	r := released(t)
	dir, m := unpacked(t, r.bundle)
	s := newBox(t)
	api := open(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	chat := desktop(t, s, m.command(dir, map[string]string{"project": s.Workspace}))

	server := model.New(model.Script{
		model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "echo sold out"}}),
		model.Say("The bolts are sold out."),
	}, nil)
	o := withHooks(s, server.Start(t), "Never order bolts by yourself. Are there any left?")
	o.Plugin, o.ExtraArgs = r.plugin, []string{"--allowedTools", pluginTools}
	worked := model.Run(ctx, t, o)
	session := follow(ctx, t, api, worked.SessionID, []string{"Bash"})
	handoff := prompted(t, chat, "resume", map[string]string{"session": session})
	for _, want := range []string{"Never order bolts", "The bolts are sold out."} {
		if !strings.Contains(handoff, want) {
			t.Errorf("the handoff has no %q: %s", want, handoff)
		}
	}

	const decided = "Decided in the chat: order screws instead."
	id := noted(t, says(t, chat, "compact_conversation", map[string]any{"notes": decided}, decided), session)
	server = model.New(model.Script{
		model.Do("", model.Call{Tool: "read_artifact", Input: map[string]any{"id": "{{id}}"}}),
		model.Say("Screws it is."),
	}, model.Vars{"id": id})
	o.URL, o.Prompt = server.Start(t), "Read what the chat decided."
	model.Run(ctx, t, o)
	if got := results(server); len(got) != 1 || !strings.Contains(got[0], decided) {
		t.Errorf("Claude Code reads %q", got)
	}
}
