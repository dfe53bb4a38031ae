//go:build linux

package liveness_test

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

var every = flag.Bool("every", false, "hold every task, not a few of them, and measure the bounds")

const (
	patience = 5 * time.Minute // against hangs; longer than any step of a task may take
	bound    = 5 * time.Second // of an owner's leaving, where it is measured
)

// way is how one task is held: the first call of each thread on one of the paths does not return for an hour.
type way struct {
	call   string
	paths  func(p place) []string
	always bool // make harnesses has it too, make liveness alone the others: some take minutes
}

// ways has a row for each task of an owner: choose a call on a path that only this task makes.
var ways = map[string]way{
	ledger.TaskFollow: {call: "openat",
		paths: func(p place) []string { return []string{p.session, filepath.Base(p.session)} }, always: true},
	"observing files": {call: "openat", paths: func(p place) []string {
		return []string{touched, filepath.Base(touched), "order", filepath.Join(p.box.Workspace, "order")}
	}},
	"learning from measured usage": {call: "openat",
		paths: func(p place) []string { return []string{filepath.Join(p.UserState, "owner.json")} }},
	"writing exports": {call: "mkdirat",
		paths:  func(p place) []string { return []string{filepath.Join(p.State, "exports"), "exports"} },
		always: true},
	"watching the state directory": {
		call: "openat", paths: func(p place) []string { return []string{filepath.Join(p.State, "owner.json")} }},
	"keeping files private": {call: "newfstatat",
		paths: func(p place) []string { return []string{filepath.Join(p.State, deep)} }},
	"reserving space for deletions": {call: "newfstatat",
		paths: func(p place) []string { return []string{filepath.Join(p.State, "reserve")} }},
	"recording whose ledger this is": {call: "renameat",
		paths: func(p place) []string { return []string{filepath.Join(p.State, "place.json")} }},
	"applying the retention policy": {call: "unlinkat", paths: func(p place) []string { return p.blobs }},
	"indexing words":                {call: "openat", paths: func(p place) []string { return []string{keptBlob} }},
}

const (
	touched = "order/order.go" // a file that the recorded session has read
	deep    = "log/a/b"        // a directory that only the tightening looks into
	kept    = "kept for later" // an artifact whose words are not indexed yet
)

// keptBlob is the name of the file of what is kept.
var keptBlob = fmt.Sprintf("%x", sha256.Sum256([]byte(kept)))

// place is a ledger at rest, ready for an owner that has something to do for each task.
type place struct {
	box *sandbox.Sandbox
	workspace.Workspace
	session string   // path of the session file that is followed
	blobs   []string // directories of blobs
}

// ctxledger is the built program; TestMain sets it.
var ctxledger string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		ctxledger = filepath.Join(dir, "ctxledger")
		return programtest.Build(ctxledger, "ctxledger.dev/cmd/ctxledger")
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryTaskCanBeHeld: no task of an owner is without a way to hold it.
func TestEveryTaskCanBeHeld(t *testing.T) {
	for _, task := range append(daemon.OwnTasks(), wiring.Role(env.System()).Background(t.TempDir(), slog.New(slog.DiscardHandler))...) {
		if _, ok := ways[task.Name]; !ok {
			t.Errorf("%q has no row in the table of ways", task.Name)
		}
	}
}

func TestAHeldTaskHoldsNobodyElse(t *testing.T) {
	for name, w := range ways {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			if !w.always && !*every {
				t.Skip("make liveness has it")
			}
			t.Parallel()
			p := prepare(t)
			hold(t, p, name, w)
		})
	}
}

// prepare makes a ledger with an old session that is due, and a newer one that is followed.
func prepare(t *testing.T) place {
	t.Helper()
	s := programtest.NewBox(t, filepath.Dir(ctxledger))
	ws, err := s.Place()
	must(t, err)
	p := place{box: s, Workspace: ws}
	old := fmt.Sprintf(`{"parentUuid":null,"type":"user","message":{"role":"user","content":%q},"uuid":"1",`+
		`"timestamp":"2026-11-01T11:00:47.542Z","cwd":%q,"sessionId":"old","version":"2.1.328"}`+"\n",
		strings.Repeat("something long ", 10_000), s.Workspace)
	e := env.System()
	e.Home, e.Lookup = s.Home, func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": s.Config}[name]
	}
	p.session = filepath.Join(claudecode.ProjectDir(e, s.Workspace), "05758ff7-b05d-45d5-a684-2d87d43ae644.jsonl")
	for path, content := range map[string][]byte{
		p.session: programtest.Recorded(t, s.Workspace), filepath.Join(s.Top, "old.jsonl"): []byte(old),
		filepath.Join(s.Workspace, touched): []byte("package order\n"), filepath.Join(s.Top, "kept.txt"): []byte(kept),
	} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, content, 0o600))
	}
	for _, args := range [][]string{{"import", filepath.Join(s.Top, "old.jsonl")}, {"import", p.session},
		{"ledger", "retain", "--older-than", "1h"}} {
		_, err := s.Run(deadlined(t), append([]string{"--in-process"}, args...)...)
		must(t, err)
	}
	must(t, os.RemoveAll(filepath.Join(p.State, "exports")))
	must(t, os.MkdirAll(filepath.Join(p.State, deep, "c"), 0o700))
	p.blobs, err = filepath.Glob(filepath.Join(p.State, "blobs", "??"))
	must(t, err)
	if len(p.blobs) == 0 {
		t.Fatal("the old session left no blob to delete")
	}
	_, err = s.Run(deadlined(t), "--in-process", "artifact", "save", filepath.Join(s.Top, "kept.txt"))
	must(t, err)
	return p
}

func deadlined(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// start starts an owner under strace.
func start(t *testing.T, p place, w way) *exec.Cmd {
	t.Helper()
	trace := filepath.Join(p.box.Top, "trace")
	args := []string{"-f", "-qq", "--signal=none", "-o", trace, "-e", "trace=" + w.call, "-e",
		"inject=" + w.call + ":delay_enter=3600s"}
	for _, path := range w.paths(p) {
		args = append(args, "-P", path)
	}
	cmd := exec.CommandContext(deadlined(t), "strace", append(args, "--", ctxledger, "__daemon", p.State, p.Root)...)
	cmd.Dir, cmd.Env = p.box.Workspace, p.box.Env()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	said := make([]byte, 2)
	if _, err := out.Read(said); err != nil || string(said) != "{}" {
		t.Fatalf("the owner said %q, %v", said, err)
	}
	return cmd
}

// hold holds a task and looks at what the others see.
func hold(t *testing.T, p place, name string, w way) {
	t.Helper()
	cmd := start(t, p, w)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var info ledger.Info
	held := deadlined(t)
	for stuck := false; !stuck; <-tick.C {
		st, err := daemon.Status(deadlined(t), p.State)
		must(t, err)
		if held.Err() != nil {
			t.Fatalf("the task was not held: %+v", st.Info.Tasks)
		}
		info = st.Info
		for _, x := range info.Tasks {
			if x.State == ledger.TaskStuck && x.Name != name {
				t.Fatalf("%s is stuck as well", x.Name)
			}
			stuck = stuck || x.State == ledger.TaskStuck
		}
	}
	if info.Following == (name == ledger.TaskFollow) {
		t.Errorf("following: %v", info.Following)
	}
	for _, x := range []struct{ args, want string }{
		{"status", "trouble    " + name + ": no progress for "}, {"memory add fact --description d --body b", "fact"},
		{"memory show fact", "b"}, {"sessions", ""},
	} {
		out, err := p.box.Run(deadlined(t), strings.Fields(x.args)...)
		if err != nil || !strings.Contains(string(out), x.want) {
			t.Errorf("%s: %v\n%s", x.args, err, out)
		}
	}
	began := time.Now()
	must(t, link.Stop(deadlined(t), p.State))
	took := time.Since(began)
	if *every && took > bound {
		t.Errorf("the owner left after %v", took)
	}
	t.Logf("%s: the owner left after %v", name, took.Round(time.Millisecond))
	must(t, cmd.Process.Kill()) // strace, which holds a thread even of a process that has ended
	_ = cmd.Wait()              // killed
	for process.Alive(info.PID) {
		<-tick.C // fails by the test's time limit
	}
	if out, err := p.box.Run(deadlined(t), "--in-process", "memory", "get", "fact"); err != nil ||
		!strings.Contains(string(out), "b") {
		t.Errorf("what was acknowledged: %v\n%s", err, out)
	}
}
