//go:build linux

package vscodetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// worked is how long the live session takes. It began just now, since what it loaded was written before that, and the
// script needed a minute and a half: its times go on ahead of the clock, so that turns are as far apart as a person's.
const worked = 95 * time.Minute

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

// newScene lays out the project, sessions of before, and the live session, which began when the project was there. Without the installation it leaves the test out.
func newScene(t *testing.T) *scene {
	t.Helper()
	installed.Directory(t, vscode, "vscode")
	s := &scene{Sandbox: newBox(t)}
	archive, err := txtar.ParseFile(project)
	must(t, err)
	rules, err := os.ReadFile(filepath.Join("testdata", "rules.md"))
	must(t, err)
	archive.Files = append(archive.Files, txtar.File{Name: "CLAUDE.md", Data: rules})
	for name, content := range instructions {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(content)})
	}
	for _, f := range archive.Files {
		s.put(t, filepath.Join(s.Workspace, filepath.FromSlash(f.Name)), f.Data)
	}
	began := time.Now().Add(time.Millisecond) // after the files it read and loaded: their inode change times cannot be set
	raw, err := os.ReadFile(recording)
	must(t, err)
	e := env.System()
	e.Lookup = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": s.Config}[name] }
	s.session = filepath.Join(claudecode.ProjectDir(e, s.Workspace), sessionID+".jsonl")
	s.countServers(t)
	s.leavePast(t)
	s.put(t, s.session, between(t, inHere(raw, s.Workspace), began, began.Add(worked)))
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

// instructions are the files that the agent loads with every request, besides CLAUDE.md.
var instructions = map[string]string{
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

// between moves a recorded session in time: its records are as far apart as they were, in proportion.
func between(t *testing.T, raw []byte, began, ended time.Time) []byte {
	t.Helper()
	timeOf := func(stamp []byte) time.Time {
		at, err := time.Parse(time.RFC3339, string(stamp))
		must(t, err)
		return at
	}
	found := stamps.FindAll(raw, -1)
	first, last := slices.MinFunc(found, bytes.Compare), slices.MaxFunc(found, bytes.Compare)
	scale := float64(ended.Sub(began)) / float64(timeOf(last).Sub(timeOf(first)))
	return stamps.ReplaceAllFunc(raw, func(stamp []byte) []byte {
		since := time.Duration(scale * float64(timeOf(stamp).Sub(timeOf(first))))
		return began.Add(since).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z")
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
