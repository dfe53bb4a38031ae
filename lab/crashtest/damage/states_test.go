//go:build unix

package damage_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/lab/crashtest/damage"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/lab/sandbox"
)

// nobody is the unprivileged user id for tests of permissions, which root bypasses.
const nobody = 65534

// badStates are what may be found instead of a ledger. The commands must name it with a way out,
// end with status 1 and change nothing.
var badStates = []struct {
	name    string
	prepare func(t *testing.T, state, ledger string)
	says    string
	hint    string
}{
	{"empty file", with(nil), "is empty", "repair"},
	{"one byte", with([]byte("x")), "too short", "repair"},
	{"text file", with(bytes.Repeat([]byte("all work\n"), 4000)), "not a ledger file", "repair"},
	{"SQLite file", with(append([]byte("SQLite format 3\x00\x10\x00\x01\x01"), make([]byte, 12<<10)...)),
		"not a ledger file", "repair"},
	{"directory", func(t *testing.T, _, ledger string) {
		must(t, errors.Join(os.Remove(ledger), os.Mkdir(ledger, 0o700)))
	}, "is a directory", "CTXLEDGER_STATE"},
	{"dangling symbolic link", func(t *testing.T, _, ledger string) {
		must(t, errors.Join(os.Remove(ledger), os.Symlink("nowhere", ledger)))
	}, "symbolic link", "real file"},
	{"dangling symbolic link to the state directory", func(t *testing.T, state, _ string) {
		must(t, errors.Join(os.RemoveAll(state), os.Symlink("nowhere", state)))
	}, "dangling symbolic link", "remove the link"},
	{"pipe", func(t *testing.T, _, ledger string) {
		must(t, errors.Join(os.Remove(ledger), syscall.Mkfifo(ledger, 0o600)))
	}, "special file", "CTXLEDGER_STATE"},
	{"no permission for the file", func(t *testing.T, _, ledger string) { must(t, os.Chmod(ledger, 0)) },
		"permission denied", "CTXLEDGER_STATE"},
	{"no permission for the directory", func(t *testing.T, state, _ string) { must(t, os.Chmod(state, 0)) },
		"permission denied", "CTXLEDGER_STATE"},
	{"locked by another program", func(t *testing.T, _, ledger string) {
		f, err := os.Open(ledger)
		must(t, err)
		t.Cleanup(func() { must(t, f.Close()) })
		must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	}, "another process", "stop that process"},
	{"newer format", func(t *testing.T, _, ledger string) {
		const bucket, key = "\x00ctxledger", "format"
		db, err := bbolt.Open(ledger, 0o600, &bbolt.Options{NoFreelistSync: true})
		must(t, err)
		must(t, errors.Join(db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte(bucket)).Put([]byte(key), kv.Seal(bucket, []byte(key), []byte("99")))
		}), db.Close()))
	}, "format 99", "upgrade"},
}

// with puts content in the place of the ledger.
func with(content []byte) func(*testing.T, string, string) {
	return func(t *testing.T, _, ledger string) { must(t, os.WriteFile(ledger, content, 0o600)) }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestBadStatesAreNamed: what is not a ledger is named with a way out, and left alone.
func TestBadStatesAreNamed(t *testing.T) {
	for _, c := range badStates {
		t.Run(c.name, func(t *testing.T) {
			s, state := someLedger(t)
			c.prepare(t, state, filepath.Join(state, "ledger.db"))
			before := snapshot(t, state)
			for _, args := range [][]string{{"--in-process", "memory", "recall"}, {"--in-process", "artifact", "--json"}} {
				said := refuse(t, s, args...)
				if !strings.Contains(said, c.says) || !strings.Contains(said, "hint: ") ||
					!strings.Contains(said, c.hint) {
					t.Errorf("%q: %s", args, said)
				}
			}
			if c.name != "locked by another program" { // the daemon waits for that one
				if said := refuse(t, s, "memory", "recall"); !strings.Contains(said, c.says) ||
					!strings.Contains(said, "hint: ") {
					t.Errorf("through the daemon: %s", said)
				}
			}
			if after := snapshot(t, state); !maps.Equal(before, after) {
				t.Errorf("the state was changed:\n%v\n%v", before, after)
			}
		})
	}
}

// someLedger returns a place with a ledger in it, which belongs to the user who runs the programs.
func someLedger(t *testing.T) (s *sandbox.Sandbox, state string) {
	t.Helper()
	s, err := sandbox.New(filepath.Dir(ctxledger))
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(s.Top)) })
	if os.Geteuid() == 0 {
		must(t, os.Chmod(filepath.Dir(ctxledger), 0o755))
		must(t, filepath.WalkDir(s.Top, func(p string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(p, nobody, nobody))
		}))
	}
	place, err := s.Place()
	must(t, err)
	put := command(t, s, "--in-process", "artifact", "save", "-")
	put.Stdin = strings.NewReader("something to lose")
	if out, err := put.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s, place.State
}

// command returns a command of ctxledger that permissions count for.
func command(t *testing.T, s *sandbox.Sandbox, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := s.Command(ctx, args...)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// refuse runs a command that must end with status 1, and returns what it said on standard error.
func refuse(t *testing.T, s *sandbox.Sandbox, args ...string) string {
	t.Helper()
	cmd := command(t, s, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.ExitCode() != 1 {
		t.Errorf("%q ended with %v: %s", args, err, stderr.Bytes())
	}
	return stderr.String()
}

// snapshot returns every file of a directory with its mode and content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[p] = info.Mode().String()
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(p)
			out[p] += string(raw)
			return err
		}
		return nil
	})
	must(t, err)
	return out
}

// TestEveryCutIsNamed: a ledger that ends at any of its pages is refused as cut off, and left alone.
func TestEveryCutIsNamed(t *testing.T) {
	dir := original(t)
	o, err := damage.Load(filepath.Join(dir, "state"))
	must(t, err)
	at := filepath.Join(dir, "cut")
	for d := range o.Cuts() {
		must(t, o.Save(at, d))
		if api, err := script.Open(t.Context(), at, &script.Clock{}); !fault.Is(err, fault.Corrupt) ||
			fault.HintOf(err) == "" {
			t.Errorf("%s: %v", d.What, err)
			if err == nil {
				must(t, api.Close())
			}
		}
		if left, err := os.ReadFile(filepath.Join(at, d.File)); err != nil || !bytes.Equal(left, d.Content) {
			t.Errorf("%s: the file was changed: %v", d.What, err)
		}
	}
}

// TestClockThatGoesBack: ten years earlier, everything is still there and the ledger works.
func TestClockThatGoesBack(t *testing.T) {
	dir := original(t)
	story, err := script.LoadStory(dir)
	must(t, err)
	clock := &script.Clock{}
	clock.Enter(-10 * 365 * 24 * int(time.Hour/time.Second))
	api, err := script.Open(t.Context(), filepath.Join(dir, "state"), clock)
	must(t, err)
	defer api.Close()
	got, err := script.Read(t.Context(), api)
	must(t, err)
	want := story[len(story)-1]
	if d := want.Differences(got); len(d) > 0 {
		t.Errorf("differs: %q", d)
	}
	steps := script.Steps(rounds + 1)
	err = script.Play(t.Context(), api, clock, steps, len(story)-1, func(n int, err error) (bool, error) {
		clock.Enter(-10 * 365 * 24 * 3600)
		return false, err
	})
	must(t, err)
	got, err = script.Read(t.Context(), api)
	must(t, err)
	for _, q := range slices.Sorted(maps.Keys(want)) {
		if name, _, _ := strings.Cut(q, " "); name == "entry" && got[q] != want[q] {
			t.Errorf("%s has changed", q)
		}
	}
}
