package ctxledger

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// project makes a repository with one commit, in the place of whatever is there.
func (m *matrix) project(dir, message string) {
	m.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		m.t.Skip("git is not on the path")
	}
	if err := os.RemoveAll(filepath.Join(m.home, dir)); err != nil {
		m.t.Fatal(err)
	}
	m.run(dir, "git", "init", "-q")
	m.run(dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", message)
}

// all runs a program with an input, and returns all that it writes, whatever its exit status is.
func (m *matrix) all(dir, input, program string, args ...string) string {
	m.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(m.home, dir), m.vars, strings.NewReader(input)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// holding returns the name of the only ledger besides that in use at dir which has a memory.
func (m *matrix) holding(dir string) string {
	m.t.Helper()
	var list struct {
		Ledgers []struct {
			Name, Left string
			Memories   int
		}
	}
	if err := json.Unmarshal(m.run(dir, "ctxledger", "workspaces", "--json"), &list); err != nil {
		m.t.Fatal(err)
	}
	name := ""
	for _, l := range list.Ledgers {
		if l.Left != "" && l.Memories > 0 {
			if name != "" {
				m.t.Errorf("%s and %s hold memories", name, l.Name)
			}
			name = l.Name
		}
	}
	if name == "" {
		m.t.Fatalf("no ledger that is left holds a memory: %+v", list)
	}
	return name
}

// TestAMovedProjectIsFoundAgain: its ledger is named wherever a person looks, nothing joins by itself, and one command takes
// it over with memories and sessions.
func TestAMovedProjectIsFoundAgain(t *testing.T) {
	m := newHome(t)
	m.project("shop", "first")
	session, err := filepath.Abs("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	m.run("shop", "ctxledger", "import", session)
	m.run("shop", "ctxledger", "memory", "save", "deploy", "--body", "from main only")
	if err := os.Rename(filepath.Join(m.home, "shop"), filepath.Join(m.home, "store")); err != nil {
		t.Fatal(err)
	}
	m.run("store", "ctxledger", "memory", "save", "since", "--body", "the move")
	for _, command := range []string{"status", "memory", "doctor", "sessions"} {
		said := m.all("store", "", "ctxledger", command)
		if !strings.Contains(said, "has 1 session and 1 memory, and the same root commit as this project: `") ||
			!strings.Contains(said, "adopt shop-") || strings.Contains(said, "from main only") {
			t.Errorf("%s says:\n%s", command, said)
		}
	}
	name := m.holding("store")
	if said := m.all("store", "", "ctxledger", "workspaces"); !strings.Contains(said, "its directory is gone, has the root commit") ||
		!strings.Contains(said, ": to delete it with its sessions, delete the directory ") {
		t.Errorf("workspaces says:\n%s", said)
	}
	if said := m.all("store", "", "ctxledger", "ledger", "adopt", name); !strings.Contains(said, "nothing was changed") {
		t.Errorf("without a terminal:\n%s", said)
	}
	m.run("store", "ctxledger", "ledger", "adopt", name, "--yes")
	if said := m.all("store", "", "ctxledger", "memory", "get", "deploy"); !strings.Contains(said, "from main only") {
		t.Errorf("its memory is not there:\n%s", said)
	}
	if said := m.all("store", "", "ctxledger", "status"); !strings.Contains(said, "1 session, ") ||
		!strings.Contains(said, "not used by any directory: 1 ledger, with 0 sessions and 1 memory") {
		t.Errorf("the status says:\n%s", said)
	}
	m.project("shop", "another")
	if said := m.all("shop", "", "ctxledger", "memory"); !strings.Contains(said, "no facts here") {
		t.Errorf("another project at the old path has:\n%s", said)
	}
	if said := m.all("store", "", "ctxledger", "ledger", "adopt", filepath.Base(m.state("shop")), "--yes"); !strings.Contains(said,
		"which exists") {
		t.Errorf("the ledger of a directory that exists was taken over:\n%s", said)
	}
}

// state returns the state directory that is in use at a directory.
func (m *matrix) state(dir string) string {
	m.t.Helper()
	var st struct {
		Ledger struct {
			State string
		}
	}
	if err := json.Unmarshal(m.run(dir, "ctxledger", "status", "--json"), &st); err != nil {
		m.t.Fatal(err)
	}
	return st.Ledger.State
}

// TestAnotherRepositoryAtAPathGetsNothing of the ledger there, by any face, and adds nothing to it, before a person has
// decided. Either way nothing is lost.
func TestAnotherRepositoryAtAPathGetsNothing(t *testing.T) {
	m := newHome(t)
	m.project("shop", "first")
	m.run("shop", "ctxledger", "memory", "save", "deploy", "--body", "from main only")
	m.run("shop", "ctxledger", "daemon", "stop")
	ledger := filepath.Base(m.state("shop"))
	m.run("shop", "ctxledger", "daemon", "stop")
	m.project("shop", "second")
	call := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	recall := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{"action":"list"}}}` + "\n"
	start := `{"session_id":"05758ff7-b05d-45d5-a684-000000000001","hook_event_name":"SessionStart","source":"startup"}`
	for face, said := range map[string]string{
		"memory":  m.all("shop", "", "ctxledger", "memory"),
		"save":    m.all("shop", "", "ctxledger", "memory", "save", "second", "--body", "of the second"),
		"status":  m.all("shop", "", "ctxledger", "status"),
		"doctor":  m.all("shop", "", "ctxledger", "doctor"),
		"alone":   m.all("shop", "", "ctxledger", "--in-process", "memory"),
		"ctxmcp":  m.all("shop", call+recall, "ctxmcp"),
		"ctxhook": m.all("shop", start, "ctxhook", "claude-code", "SessionStart"),
		"hook":    m.all("shop", start, "ctxledger", "hook", "claude-code", "SessionStart"),
	} {
		if strings.Contains(said, "main only") || strings.Contains(said, "deploy") ||
			!strings.Contains(said, "adopt "+ledger) || !strings.Contains(said, "adopt --new") {
			t.Errorf("%s says:\n%s", face, said)
		}
	}
	if said := m.all("shop", start, "ctxhook", "claude-code", "PreToolUse"); said != "" {
		t.Errorf("each call is told: %s", said)
	}
	m.run("shop", "ctxledger", "ledger", "adopt", "--new", "--yes")
	if said := m.all("shop", "", "ctxledger", "memory"); strings.Contains(said, "deploy") || strings.Contains(said, "second") {
		t.Errorf("the new ledger has:\n%s", said)
	}
	m.run("shop", "ctxledger", "ledger", "adopt", m.holding("shop"), "--yes") // it was the same project after all
	if said := m.all("shop", "", "ctxledger", "memory"); !strings.Contains(said, "deploy") || strings.Contains(said, "second") {
		t.Errorf("the first ledger has:\n%s", said)
	}
}

// TestAKilledAdoptionLosesNothing: whenever the command is killed, both ledgers are there, each with its memory, and the
// command finishes it.
func TestAKilledAdoptionLosesNothing(t *testing.T) {
	m := newHome(t)
	m.project("shop", "first")
	m.run("shop", "ctxledger", "memory", "save", "a", "--body", "of the one")
	m.run("shop", "ctxledger", "ledger", "adopt", "--new", "--yes")
	m.run("shop", "ctxledger", "memory", "save", "b", "--body", "of the other")
	m.run("shop", "ctxledger", "daemon", "stop")
	for i := range 8 {
		name := m.holding("shop")
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+8*i)*time.Millisecond)
		cmd := exec.CommandContext(ctx, "ctxledger", "ledger", "adopt", name, "--yes") // killed with SIGKILL
		cmd.Dir, cmd.Env = filepath.Join(m.home, "shop"), m.vars
		finished := cmd.Run() == nil
		cancel()
		if !finished {
			m.all("shop", "", "ctxledger", "ledger", "adopt", name, "--yes") // there is none of that name if it was done
		}
		facts := m.run("shop", "ctxledger", "memory")
		m.run("shop", "ctxledger", "daemon", "stop")
		want := map[bool]string{true: "\na ", false: "\nb "}[i%2 == 0]
		if !bytes.Contains(facts, []byte(want)) || bytes.Count(facts, []byte("\n")) != 2 {
			t.Fatalf("adoption %d, killed: %v; the ledger has:\n%s", i, !finished, facts)
		}
	}
}
