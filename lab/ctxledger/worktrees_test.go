package ctxledger

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/sessions"
)

var allWorktrees = flag.Bool("worktrees", false,
	"start the owners of the worktree matrix from every place, before and after the sessions")

// A place is a directory of the matrix: the ledger that it belongs to, and the tree, both named by a directory.
// A newcomer adds a line; the repository of the matrix is made by layOut.
var places = []struct{ dir, ledger, tree string }{
	{"shop", "shop", "shop"},
	{"shop/src/deep", "shop", "shop"},
	{"fix", "shop", "fix"},
	{"fix/src", "shop", "fix"},
	{"shop/.claude/worktrees/try", "shop", "shop/.claude/worktrees/try"},
	{"shop/.claude/worktrees/try/src", "shop", "shop/.claude/worktrees/try"},
	{"clone", "clone", "clone"},
	{"clone/src", "clone", "clone"},
	{"shop/lib", "shop/lib", "shop/lib"},
	{"shop/lib/src", "shop/lib", "shop/lib"},
	{"shop/inner", "shop/inner", "shop/inner"},
	{"fix/inner/src", "shop/inner", "fix/inner"},
	{"shop-evil", "shop-evil", "shop-evil"}, // its .git file names shop
	{"quiet", "", ""},                       // a worktree with follow: false
}

// matrix is one home directory with the places.
type matrix struct {
	t    *testing.T
	home string
	vars []string
}

// TestWorktreeMatrix starts the owners of all ledgers from a place, with a session of each place written before
// or after: every session is recorded once, in its ledger, with where it ran.
func TestWorktreeMatrix(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	for i, first := range places {
		for _, before := range []bool{true, false} {
			if !*allWorktrees && !(first.dir == "fix/src" && !before || first.dir == "shop" && before) {
				continue
			}
			t.Run(fmt.Sprintf("%s first, sessions before %v", first.dir, before), func(t *testing.T) {
				m := layOut(t)
				if before {
					m.sessions()
				}
				for j := range places { // each place in turn: the first of a ledger starts its owner
					m.run(places[(i+j)%len(places)].dir, "ctxledger", "sessions")
				}
				if !before {
					m.sessions()
				}
				m.check()
			})
		}
	}
}

// newHome makes an empty home directory.
func newHome(t *testing.T) *matrix {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &matrix{t: t, home: filepath.Join(home, "ada")}
	m.vars = append(os.Environ(), "HOME="+m.home, "XDG_STATE_HOME="+filepath.Join(home, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"CTXLEDGER_STATE=", "CTXLEDGER_WORKSPACE=", "CLAUDE_PROJECT_DIR=", "CLAUDE_CONFIG_DIR=",
		"CLAUDE_CODE_SESSION_ID=", "GORACE=atexit_sleep_ms=0",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	t.Cleanup(func() { stopDaemons(t, home) })
	return m
}

// layOut makes the trees.
func layOut(t *testing.T) *matrix {
	t.Helper()
	m := newHome(t)
	git := func(dir string, args ...string) {
		m.run(dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c",
			"protocol.file.allow=always"}, args...)...)
	}
	for _, repository := range []string{"library", "shop"} {
		git(repository, "init", "-q")
		git(repository, "commit", "-q", "--allow-empty", "-m", "first")
	}
	git("shop", "submodule", "--quiet", "add", "../library", "lib")
	for _, tree := range []string{"../fix", ".claude/worktrees/try", "../quiet"} {
		git("shop", "worktree", "add", "-q", tree)
	}
	git(".", "clone", "-q", "shop", "clone")
	m.file("shop/inner/ctxledger.yaml", "")
	m.file("fix/inner/ctxledger.yaml", "")
	m.file("shop-evil/.git", "gitdir: ../shop/.git\n")
	m.file("quiet/ctxledger.yaml", "follow: false\n")
	for _, p := range places {
		m.file(p.dir+"/.keep", "")
	}
	return m
}

func (m *matrix) file(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// run runs a program in a directory and returns what it writes.
func (m *matrix) run(dir, program string, args ...string) []byte {
	m.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, dir), m.vars
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		m.t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%s %q in %s: %v\n%s", program, args, dir, err, stderr.Bytes())
	}
	return out
}

// id is the host's id of the session of a place.
func id(place int) string { return fmt.Sprintf("05758ff7-b05d-45d5-a684-%012d", place) }

// sessions writes a session file for every place, as Claude Code does that is started there.
func (m *matrix) sessions() {
	m.t.Helper()
	e := env.Env{Home: m.home, Lookup: func(string) string { return "" }}
	for i, p := range places {
		dir := filepath.Join(m.home, p.dir)
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": id(i), "sessionId": id(i), "cwd": dir, "timestamp": time.Now().UTC(),
			"version": "2.1.330",
			"message": map[string]string{"role": "user", "content": "work in " + p.dir},
		})
		if err != nil {
			m.t.Fatal(err)
		}
		rel, err := filepath.Rel(m.home, claudecode.ProjectDir(e, dir))
		if err != nil {
			m.t.Fatal(err)
		}
		m.file(filepath.Join(rel, id(i)+".jsonl"), string(line)+"\n")
	}
}

// list returns the sessions of the ledger of a place, by the ids of their host.
func (m *matrix) list(dir string) []sessions.Session {
	m.t.Helper()
	var resp struct {
		Sessions []sessions.Session `json:"sessions"`
	}
	if err := json.Unmarshal(m.run(dir, "ctxledger", "sessions", "--json", "--limit", "100"), &resp); err != nil {
		m.t.Fatal(err)
	}
	slices.SortFunc(resp.Sessions,
		func(a, b sessions.Session) int { return bytes.Compare([]byte(a.HostID), []byte(b.HostID)) })
	return resp.Sessions
}

// check waits until every ledger has its sessions, and compares all of them with the places.
func (m *matrix) check() {
	m.t.Helper()
	want, enough := map[string][]string{}, time.Now().Add(time.Minute)
	for i, p := range places {
		if p.ledger != "" {
			want[p.ledger] = append(want[p.ledger],
				fmt.Sprintf("%s ran in %s of %s", id(i), filepath.Join(m.home, p.dir), filepath.Join(m.home, p.tree)))
		}
	}
	for ledger, all := range want { // until all are there, so that what is too much has had its time
		for len(m.list(ledger)) < len(all) && time.Now().Before(enough) {
			continue
		}
	}
	for ledger, all := range want {
		var got []string
		for _, s := range m.list(ledger) {
			got = append(got, fmt.Sprintf("%s ran in %s of %s", s.HostID, s.Dir, s.Tree))
		}
		if !slices.Equal(got, all) {
			m.t.Errorf("the ledger of %s has\n%q, want\n%q", ledger, got, all)
		}
	}
	for _, p := range places { // every place leads to its ledger, and to what ran in its tree
		if p.ledger == "" {
			continue
		}
		var st struct {
			Session struct{ Session sessions.Session }
		}
		if err := json.Unmarshal(m.run(p.dir, "ctxledger", "status", "--json"), &st); err != nil {
			m.t.Fatal(err)
		}
		if got := st.Session.Session.Tree; got != filepath.Join(m.home, p.tree) {
			m.t.Errorf("status in %s is about a session of %q, want one of %s", p.dir, got, p.tree)
		}
	}
}
