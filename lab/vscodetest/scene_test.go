//go:build linux

package vscodetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/installed"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lab/shown"
)

// The session that is shown was recorded by the real Claude Code in recordedIn, and the project is the one on which it
// worked, see testdata/sessions/README.md. Its model was a script; here it has a name that has a window (lab/shown).
const (
	recording  = "../../testdata/sessions/shop.jsonl"
	project    = "../scriptedmodel/record/shop.txtar"
	recordedIn = "/home/dev/shop"
	sessionID  = "05758ff7-b05d-45d5-a684-2d87d43ae644"
)

// slower is how much longer the session seems to have taken: the script needed no time to think.
const slower = 40

// stamps are the times of a recorded session.
var stamps = regexp.MustCompile(`2026-11-20T\d\d:\d\d:\d\d\.\d\d\dZ`)

// scene is a sandbox with a project in it and an agent that works on it.
type scene struct {
	*sandbox.Sandbox
	session string // the file that the agent writes
	servers string // the process ids of the language servers that were started, a line each
	server  string // the program that starts one and says so there
}

// agent is the program that starts a coding agent, where a test has one.
func (s *scene) agent() string { return filepath.Join(s.Top, "agent") }

// newScene lays out the project, the session with its newest entry half a minute ago, and sessions of before. Without
// the installation it leaves the test out.
func newScene(t *testing.T) *scene {
	t.Helper()
	installed.Directory(t, vscode, "vscode")
	s := &scene{Sandbox: newBox(t)}
	archive, err := txtar.ParseFile(project)
	must(t, err)
	for name, content := range instructions {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(content)})
	}
	for _, f := range archive.Files {
		path := filepath.Join(s.Workspace, filepath.FromSlash(f.Name))
		s.put(t, path, f.Data)
		old := time.Now().AddDate(0, -1, 0) // from before the session: what it read and loaded is known to be unchanged
		must(t, os.Chtimes(path, old, old))
	}
	raw, err := os.ReadFile(recording)
	must(t, err)
	e := env.System()
	e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": s.Config}[name] }
	s.session = filepath.Join(claudecode.ProjectDir(e, s.Workspace), sessionID+".jsonl")
	s.put(t, s.session, ending(t, inHere(raw, s.Workspace), halfAMinute))
	s.countServers(t)
	s.leavePast(t)
	return s
}

// remember notes facts about the project.
func (s *scene) remember(t *testing.T) {
	t.Helper()
	for name, f := range facts {
		_, err := s.Run(t.Context(), "memory", "save", name, "--type", "project", "--description", f.description,
			"--body", f.body)
		must(t, err)
	}
}

// instructions are the files that the agent loads with every request.
var instructions = map[string]string{
	"CLAUDE.md": "# Shop\n\nThe rules of the house are in @README.md and the plan was in @docs/plan.md\n\n## Tests\n\n" +
		"Run `go test ./...` before each commit. A price that changes needs a test of its own, and so does a currency.\n",
	".claude/skills/release/SKILL.md": "---\nname: release\ndescription: how to release the shop\n---\n" +
		"Tag, build, and announce it to accounting.\n",
	".mcp.json": `{"mcpServers": {"catalogue": {"command": "catalogue"}}}` + "\n",
}

// facts are what somebody has noted about the project, by their names.
var facts = map[string]struct{ description, body string }{
	"prices-in-cents": {"how amounts of money are kept",
		"Prices are int64 cents everywhere. Never a float, not even between the CSV file and the receipt."},
	"currency-is-accountings": {"who owns package currency",
		"Package currency belongs to the accounting department. Ask them, do not change it."},
}

// put writes a file.
func (s *scene) put(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, content, 0o600))
}

// inHere is a recorded session as it would be if it had been recorded in the workspace.
func inHere(raw []byte, workspace string) []byte {
	raw = bytes.ReplaceAll(raw, []byte(recordedIn), []byte(filepath.ToSlash(workspace)))
	return shown.Priced(raw)
}

// halfAMinute is how long ago the live session ended.
const halfAMinute = 30 * time.Second

// ending moves a recorded session in time: it ended so long ago.
func ending(t *testing.T, raw []byte, ago time.Duration) []byte {
	t.Helper()
	var newest time.Time
	for _, stamp := range stamps.FindAll(raw, -1) {
		if at, err := time.Parse(time.RFC3339, string(stamp)); err == nil && at.After(newest) {
			newest = at
		}
	}
	end := time.Now().Add(-ago).UTC()
	return stamps.ReplaceAllFunc(raw, func(stamp []byte) []byte {
		at, err := time.Parse(time.RFC3339, string(stamp))
		must(t, err)
		return end.Add(-slower*newest.Sub(at)).AppendFormat(nil, "2006-01-02T15:04:05.000Z")
	})
}

// countServers makes a program that notes each language server that it starts.
func (s *scene) countServers(t *testing.T) {
	t.Helper()
	s.servers, s.server = filepath.Join(s.Top, "servers"), filepath.Join(s.Top, "ctxlsp")
	s.put(t, s.servers, nil)
	script := fmt.Sprintf("#!/bin/sh\necho $$ >> '%s'\nexec '%s' \"$@\"\n", s.servers, filepath.Join(s.Bin, "ctxlsp"))
	must(t, os.WriteFile(s.server, []byte(script), 0o700))
}
