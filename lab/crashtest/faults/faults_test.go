//go:build linux

package faults_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/crashtest/faults"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/lab/programtest"
)

var (
	points = flag.Int("points", 20, "faults to inject, spread evenly; 0: every one")
	only   = flag.String("point", "", "inject this fault alone: fsync:error=EIO:when=3")
)

// rounds of the script: everything once.
const rounds = 4

// The built programs; TestMain sets them.
var subject, ctxledger string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		subject, ctxledger = filepath.Join(dir, "subject"), filepath.Join(dir, "ctxledger")
		return programtest.Build(dir, "ctxledger.dev/lab/crashtest/subject", "ctxledger.dev/cmd/ctxledger")
	}))
}

// kinds are the system calls that are made to fail, with the errors that a disk or a system gives.
// last is the number of calls of one thread beyond which a run of the script meets none.
var kinds = []struct {
	call   string
	errors []string
	last   int
}{
	{"pwrite64", []string{"EIO", "ENOSPC", "EDQUOT"}, 40},
	{"fdatasync", []string{"EIO", "ENOSPC", "EINTR"}, 20},
	{"fsync", []string{"EIO", "ENOSPC", "EINTR"}, 16},
	{"write", []string{"EIO", "ENOSPC"}, 12},
	{"ftruncate", []string{"EIO", "ENOSPC", "EINTR"}, 1},
	{"openat", []string{"EIO", "EMFILE", "ENFILE", "EINTR"}, 40},
	{"mkdirat", []string{"EIO", "ENOSPC", "EDQUOT"}, 8},
	{"renameat", []string{"EIO", "ENOSPC"}, 6},
	{"linkat", []string{"EIO", "ENOSPC"}, 1},
	{"unlinkat", []string{"EIO"}, 8},
	{"mmap", []string{"ENOMEM", "EMFILE"}, 2},
	{"fstat", []string{"EIO"}, 8},
	{"newfstatat", []string{"EIO"}, 16},
	{"getdents64", []string{"EIO"}, 4},
	{"close", []string{"EIO"}, 24},
	{"flock", []string{"EIO", "EINTR"}, 2},
}

// all returns every point.
func all() []faults.Point {
	var out []faults.Point
	for _, k := range kinds {
		for _, e := range k.errors {
			for n := range k.last {
				out = append(out, faults.Point{Call: k.call, Error: e, N: n + 1})
			}
		}
	}
	return out
}

// chosen returns the points of this run.
func chosen(t *testing.T) []faults.Point {
	t.Helper()
	every := all()
	if *only != "" {
		for _, p := range every {
			if p.String() == *only {
				return []faults.Point{p}
			}
		}
		t.Fatalf("there is no point %q", *only)
	}
	if *points == 0 || *points >= len(every) {
		return every
	}
	out := make([]faults.Point, *points)
	for i := range out {
		out[i] = every[i*len(every) / *points]
	}
	return out
}

// concerned returns the paths whose calls may fail: those of the state directory. The program's own
// pipes and the runtime's files are not among them.
func concerned(state, sound string) []string {
	var paths []string
	_ = fs.WalkDir(os.DirFS(sound), ".", func(p string, _ fs.DirEntry, err error) error {
		if !strings.HasPrefix(p, "log") { // a log that cannot be written must not stop the work
			paths = append(paths, filepath.Join(state, p))
		}
		return err
	})
	for n := range 24 {
		paths = append(paths, filepath.Join(state, "blobs", strconv.Itoa(n)+".tmp"))
	}
	for _, p := range []string{"ledger.db.new-0", "owner.json", "owner.spare"} {
		paths = append(paths, filepath.Join(state, p))
	}
	return append(paths, filepath.Join(state, ".")+"/.") // as which it is opened
}

// bench is what all points share.
type bench struct {
	story script.Story
	sound string // state directory of a run without faults
}

// TestNothingIsLostOverAFault: whatever call fails, what was acknowledged is there, what was not is
// there entirely or not at all, the failure has a code, and the script can be played to its end.
func TestNothingIsLostOverAFault(t *testing.T) {
	b := bench{sound: filepath.Join(t.TempDir(), "state")}
	var err error
	if b.story, err = script.Tell(t.Context(), filepath.Join(t.TempDir(), "told"), script.Steps(rounds)); err != nil {
		t.Fatal(err)
	}
	if o, err := faults.Run(t.Context(), subject, "play", b.sound, strconv.Itoa(rounds), "0"); err != nil ||
		!o.Finished {
		t.Fatal(err, o)
	}
	began := time.Now()
	var (
		mu                      sync.Mutex
		injected, met, reported int
		queue                   = make(chan faults.Point)
		workers                 sync.WaitGroup
	)
	list := chosen(t)
	for range 2 {
		workers.Go(func() {
			for p := range queue {
				o, err := b.point(t, p)
				if err != nil {
					t.Errorf("-point=%s: %v", p, err)
				}
				mu.Lock()
				injected += o.Injected
				if o.Injected > 0 {
					met++
				}
				if len(o.Failures) > 0 {
					reported++
				}
				mu.Unlock()
			}
		})
	}
	for _, p := range list {
		queue <- p
	}
	close(queue)
	workers.Wait()
	t.Logf("%d points, %d met by the script, %d failed calls, %d runs reported one, %.1f s", len(list), met, injected,
		reported, time.Since(began).Seconds())
}

// point injects one fault and looks at the outcome.
func (b bench) point(t *testing.T, p faults.Point) (faults.Outcome, error) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	o, err := faults.Inject(t.Context(), dir, p, concerned(state, b.sound), subject, "play", state,
		strconv.Itoa(rounds), "0")
	if err != nil {
		return o, err
	}
	logged, err := os.ReadFile(link.LogPath(state))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	if err := named(p, o, string(logged)); err != nil {
		return o, err
	}
	if err := b.holds(t, state, o.Acked); err != nil {
		return o, err
	}
	again, err := faults.Run(t.Context(), subject, "play", state, strconv.Itoa(rounds), strconv.Itoa(o.Acked))
	if err != nil {
		return o, err
	}
	if !again.Finished || len(again.Failures) > 0 {
		return o, fmt.Errorf("the next process does not go on: %+v", again)
	}
	return o, b.holds(t, state, len(b.story)-1)
}

// lasting are the calls whose failure loses data if it is not reported.
var lasting = []string{"pwrite64", "fdatasync", "fsync", "write", "ftruncate", "linkat", "renameat"}

// silent are files without which everything works: the log names what fails, and no client gets an error.
var silent = map[string]string{
	"reserve":    "the room to delete in on a full disk; without it only that is lost",
	"place.json": "which workspace the ledger is of, written anew by each owner when it ends",
}

// told reports whether a failure on one of the files has to reach a client. Without a file it has to.
func told(files []string) bool {
	for _, f := range files {
		if silent[f] == "" {
			return true
		}
	}
	return len(files) == 0
}

// indexing is how the log begins to tell of a failed commit of the index of words, which is made again: no client waits for it.
const indexing = "msg=index error="

// named checks how a run has reported its fault, to its clients or in the log.
func named(p faults.Point, o faults.Outcome, logged string) error {
	for _, f := range o.Failures {
		if f.Code == "" || f.Code == fault.Internal || f.Message == "" {
			return fmt.Errorf("step %d failed with code %q and message %q", f.Step, f.Code, f.Message)
		}
		if (p.Error == "ENOSPC" || p.Error == "EDQUOT") && f.Step > 0 && !strings.Contains(f.Hint, "free up space") {
			return fmt.Errorf("step %d says no way out of a full disk: %q (hint %q)", f.Step, f.Message, f.Hint)
		}
	}
	if !o.Finished && len(o.Failures) == 0 {
		return fmt.Errorf("the process ended without a word: %s", o.Stderr)
	}
	if p.Call == "fdatasync" && len(o.Files) != o.Injected {
		return fmt.Errorf("%d calls failed, on the files %q", o.Injected, o.Files)
	}
	if p.Call == "fdatasync" && p.Error == "EIO" && slices.Contains(o.Files, "ledger.db") && o.Finished {
		return errors.New("the process went on writing after the disk had lost a write")
	}
	for _, call := range lasting {
		if call == p.Call && p.Error != "EINTR" && o.Injected > 0 && len(o.Failures) == 0 && told(o.Files) &&
			!strings.Contains(logged, indexing) {
			return fmt.Errorf("no client was told that the call failed, on the files %q", o.Files)
		}
	}
	return nil
}

// holds opens the ledger and compares it with the story after so many acknowledged steps.
func (b bench) holds(t *testing.T, state string, acked int) error {
	api, err := script.Open(t.Context(), state, &script.Clock{})
	if err != nil {
		return fmt.Errorf("after step %d the ledger does not open: %w", acked, err)
	}
	got, err := script.Read(t.Context(), api)
	if err = errors.Join(err, api.Close()); err != nil {
		return err
	}
	lost := b.story.Differences(acked, got, script.State.All)
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("after step %d: acknowledged is not what is there:\n%s", acked, strings.Join(lost, "\n"))
}
