package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// placeFor makes the place of a condition, which ends with the test; a test whose machine cannot make it is skipped.
func placeFor(t *testing.T, name, cache string) *place {
	t.Helper()
	chosen, err := choose([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlace(t.Context(), chosen[0], cache)
	t.Cleanup(func() {
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(p.dir); err == nil {
			t.Errorf("%s is left", p.dir)
		}
	})
	var no impossible
	if errors.As(err, &no) {
		t.Skip(no)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConditionsAreThere asks a shell in the place of each condition: one that did not take would pass whatever the
// product does.
func TestConditionsAreThere(t *testing.T) {
	cache := t.TempDir() // one copy of the modules is enough
	for name, holds := range map[string]string{
		"plain":         `[ -w "$HOME" ] && [ -w "$TMPDIR" ] && [ -z "$LC_ALL$TZ$XDG_STATE_HOME" ]`,
		"home-unset":    `[ -z "${HOME+x}${XDG_STATE_HOME+x}" ]`,
		"home-missing":  `[ -n "$HOME" ] && ! [ -e "$HOME" ]`,
		"home-readonly": `[ -d "$HOME" ] && ! mkdir "$HOME/x"`,
		"home-unicode":  `cd "$HOME" && case $HOME in *日本語*) ;; *) false ;; esac`,
		"home-long":     `cd "$HOME" && [ ${#HOME} -gt 108 ]`,
		"home-longest":  `[ ${#HOME} -gt 4000 ] && [ -d "$HOME" ]`,
		"tmp-elsewhere": `[ "$(stat -c %d "$TMPDIR")" != "$(stat -c %d "$HOME")" ] && : >"$TMPDIR/x"`,
		"tmp-unicode":   `: >"$TMPDIR/x" && case $TMPDIR in *日本語*) ;; *) false ;; esac`,
		"tmp-long":      `: >"$TMPDIR/x" && [ ${#TMPDIR} -gt 108 ]`,
		"tmp-missing":   `! [ -e "$TMPDIR" ] && [ ${#HOME} -gt 108 ]`,
		"umask-077":     `[ "$(umask)" = 0077 ]`,
		"umask-000":     `[ "$(umask)" = 0000 ]`,
		"locale-c":      `[ "$LC_ALL" = C ]`,
		// The zones' data may be missing; the variable is what programs read.
		"locale-turkish":  `[ "$LC_ALL$TZ" = tr_TR.UTF-8Asia/Kathmandu ]`,
		"locale-japanese": `[ "$LC_ALL$TZ" = ja_JP.eucJPPacific/Apia ]`,
		"uid-root":        `[ "$(id -u)" = 0 ]`,
		"uid-ordinary":    `[ "$(id -u)" != 0 ] && [ -w "$HOME" ] && ! [ -w /etc/passwd ]`,
		"inotify-0":       `[ "$(cat /proc/sys/user/max_inotify_instances)" = 0 ]`,
		"inotify-128":     `[ "$(cat /proc/sys/user/max_inotify_instances)" = 128 ]`,
		"files-64":        `[ "$(ulimit -n)$(ulimit -Hn)" = 6464 ]`,
		// Nothing else starts children of this process now.
		"busy-6": fmt.Sprintf(`[ "$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c "^[0-9]* (sh) [RS] %d ")" -ge 6 ]`, os.Getpid()),
	} {
		t.Run(name, func(t *testing.T) {
			p := placeFor(t, name, cache)
			if out, err := p.command(t.Context(), p.dir, "sh", "-c", holds).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestEveryConditionIsProved: the table above has each of them.
func TestEveryConditionIsProved(t *testing.T) {
	source, err := os.ReadFile("environments_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range conditions {
		if !strings.Contains(string(source), `"`+c.name+`":`) || c.why == "" {
			t.Errorf("%s: nothing shows that it is there, or says who has it", c.name)
		}
	}
}

// TestBusyProcessesEndWithTheirCondition, and by themselves when this program is gone: each looks for it all the time.
func TestBusyProcessesEndWithTheirCondition(t *testing.T) {
	p := &place{}
	if err := busy(2)(p); err != nil {
		t.Fatal(err)
	}
	if len(p.undo) != 2 {
		t.Errorf("%d of 2 can be ended", len(p.undo))
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	orphan := p.command(context.Background(), t.TempDir(), "sh", "-c", busyLoop, "sh", "4194305") // no process has that id
	if err := orphan.Run(); err != nil && orphan.ProcessState.ExitCode() < 0 {
		t.Errorf("without its program: %v", err)
	}
}

func TestFailedTestsAreNamedOnce(t *testing.T) {
	const out = "--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.1s)\n--- FAIL: TestAB (0s)\n--- PASS: TestC (0s)\n"
	got := failedTests("p", out, errors.New("exit status 1"))
	if want := []string{"p: TestA/b", "p: TestAB"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := failedTests("p", "panic: x", errors.New("exit status 2")); !slices.Equal(got, []string{"p: exit status 2"}) {
		t.Errorf("without a failed test: %q", got)
	}
}

// TestAStepIsJudged: what a program does under a condition, and what that leads to.
func TestAStepIsJudged(t *testing.T) {
	session := []byte("first\nsecond\n")
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name      string
		step      step
		refuses   string
		out, said string
		err       error
		wrong     bool
	}{
		{"it works", step{wants: "kept"}, "", "kept\n", "", nil, false},
		{"it fails", step{wants: "kept"}, "", "", "no\n  hint: x\n", failed, true},
		{"it says something else", step{wants: "kept"}, "", "lost\n", "", nil, true},
		{"it crashes", step{}, "", "", "panic: x", nil, true},
		{"the recorded bytes", step{exact: true}, "", "first\n", "", nil, false},
		{"other bytes", step{exact: true}, "", "First\n", "", nil, true},
		{"no bytes", step{exact: true}, "", "", "", nil, true},
		{"a clear refusal", step{}, "HOME", "", "there is no HOME\n  hint: set it\n", failed, false},
		{"a refusal without a way out", step{}, "HOME", "", "there is no HOME\n", failed, true},
		{"a refusal of something else", step{}, "HOME", "", "no\n  hint: x\n", failed, true},
		{"a refusal that is a success", step{}, "HOME", "", "no HOME\n  hint: x\n", nil, true},
		{"a hook that is silent", step{always: true, silent: true}, "HOME", "", "", nil, false},
		{"a hook that disturbs", step{always: true, silent: true}, "HOME", "", "no HOME\n  hint: x\n", nil, true},
		{"a hook that fails", step{always: true, silent: true}, "HOME", "", "", failed, true},
		{"nothing to look at", step{looks: true}, "HOME", "", "there is no ledger\n", failed, false},
	} {
		if got := c.step.problem(c.refuses, []byte(c.out), c.said, session, c.err); (got != "") != c.wrong {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestPackagesOfTheOtherModuleAreItsOwn(t *testing.T) {
	all := []string{"./...", "./lab/ctxmcp", "lab/demo", "./kv/bolt"}
	if got := of(".", all); !slices.Equal(got, []string{"./...", "./kv/bolt"}) {
		t.Errorf("the product's: %q", got)
	}
	if got := of("lab", all); !slices.Equal(got, []string{"./ctxmcp", "./demo"}) {
		t.Errorf("the harnesses': %q", got)
	}
}

// TestTheWorkspaceIsThere, in which programs are started.
func TestTheWorkspaceIsThere(t *testing.T) {
	p := placeFor(t, "plain", t.TempDir())
	if info, err := os.Stat(filepath.Join(p.dir, workspaceName)); err != nil || !info.IsDir() {
		t.Error(err)
	}
}
