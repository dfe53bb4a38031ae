package ctxledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/limittest"
	"ctxledger.dev/ledger"
)

// watched are the trees in which the sessions of these tests run: two outside of each other, and one inside.
var watched = []string{"shop", "fix", "shop/.claude/worktrees/try"}

// TestADaemonHasOneInotifyInstance, however many agents it follows and trees it observes: a user has 128 of them.
func TestADaemonHasOneInotifyInstance(t *testing.T) {
	m := layOutWatched(t)
	m.observed()
	var owner struct{ Ledger ledger.Info }
	must(t, json.Unmarshal(m.run("shop", "ctxledger", "status", "--json"), &owner))
	if p := owner.Ledger.Polling; p != nil {
		t.Skipf("nothing can be watched here: %s", p)
	}
	dir := fmt.Sprintf("/proc/%d/fd", owner.Ledger.PID)
	fds, err := os.ReadDir(dir)
	must(t, err)
	n := 0
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && to == "anon_inode:inotify" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the daemon has %d instances", n)
	}
	for _, args := range [][]string{{"status"}, {"doctor"}, {"daemon", "status"}} {
		if out := m.run("shop", "ctxledger", args...); strings.Contains(string(out), "polled") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
}

// TestWithoutAFileWatcherFilesArePolled: where a limit of the system is reached, sessions are recorded and changes observed
// all the same, and status, doctor and the log say which limit it is.
func TestWithoutAFileWatcherFilesArePolled(t *testing.T) {
	for _, x := range []struct{ limit, setting string }{
		{limittest.Instances, "fs.inotify.max_user_instances"},
		{limittest.Watches, "fs.inotify.max_user_watches"},
	} {
		t.Run(x.limit, func(t *testing.T) {
			m := layOutWatched(t)
			m.runWithout(x.limit, "shop", "ctxledger", "status") // which starts the daemon
			m.observed()
			said := regexp.MustCompile(`(?m)^watching +files are polled every \d+ s: this user has reached the limit on\s+inotify`)
			for _, args := range [][]string{{"status"}, {"doctor"}, {"daemon", "status"}} {
				out := m.run("shop", "ctxledger", args...)
				if words := strings.Join(strings.Fields(string(out)), " "); !said.Match(out) || !strings.Contains(words, x.setting) {
					t.Errorf("%v does not say so:\n%s", args, out)
				}
			}
			var st struct{ Ledger ledger.Info }
			must(t, json.Unmarshal(m.run("shop", "ctxledger", "status", "--json"), &st))
			if p := st.Ledger.Polling; p == nil || p.Seconds < 2 || !strings.Contains(p.Why, x.setting) {
				t.Errorf("in JSON: %+v", p)
			}
			log, err := os.ReadFile(filepath.Join(st.Ledger.State, "log", "daemon.log"))
			must(t, err)
			if n := strings.Count(string(log), "watched: polling"); n != 1 || !strings.Contains(string(log), "level=WARN") {
				t.Errorf("the log says it %d times:\n%s", n, log)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// layOutWatched makes the trees, each with a session that has read a file.
func layOutWatched(t *testing.T) *matrix {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on the path")
	}
	m := layOut(t)
	for i, tree := range watched {
		m.file(tree+"/a.go", "package a\n")
		m.reads(tree, id(100+i))
	}
	return m
}

// observed changes a file in every tree until it is known that what was read there is stale.
func (m *matrix) observed() {
	m.t.Helper()
	enough := time.Now().Add(time.Minute)
	for n := 0; ; n++ {
		for _, tree := range watched {
			m.file(tree+"/a.go", fmt.Sprintf("package a // %d\n", n))
		}
		stale, left := m.stale("shop"), []string(nil)
		for _, tree := range watched {
			if len(stale[tree]) == 0 {
				left = append(left, tree)
			}
		}
		if left == nil {
			return
		}
		if time.Now().After(enough) {
			m.t.Fatalf("no change was observed in %q", left)
		}
	}
}

// runWithout runs a program in a user namespace that has nothing left of what is limited.
func (m *matrix) runWithout(limit, dir string, program ...string) {
	m.t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `echo 0 >/proc/sys/user/` + limit + ` && exec "$@"`, "sh"}, program...)...)
	cmd.Dir, cmd.Env = filepath.Join(m.home, dir), m.vars
	cmd.SysProcAttr = limittest.Namespace()
	out, err := cmd.CombinedOutput()
	if ran := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ran) {
		m.t.Skipf("no user namespace in which to lower limits: %v", err)
	}
	if err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
}
