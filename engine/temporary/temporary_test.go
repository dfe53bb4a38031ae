package temporary_test

import (
	"archive/tar"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// noProcess is the id of a process that does not exist: above what systems give.
const noProcess = "999999999"

// put makes a file, with its directory.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// old makes a path look as if nothing was written to it for an hour.
func old(t *testing.T, path string) {
	t.Helper()
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// archive is the beginning of a backup.
func archive(t *testing.T, name string) string {
	t.Helper()
	var b strings.Builder
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 100}); err != nil {
		t.Fatal(err)
	}
	return b.String() // the rest was not written any more
}

func TestACopyIsPrivateAndInsideTheStateDirectory(t *testing.T) {
	state := t.TempDir()
	dir, err := temporary.Dir(state, temporary.Check)
	if err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(state, dir); err != nil || !filepath.IsLocal(rel) {
		t.Errorf("it is in %s", dir)
	}
	put(t, filepath.Join(dir, "ledger.db"), "a copy")
	temporary.Remove(dir)
	if exists(dir) {
		t.Error("it is still there")
	}
}

// TestCopiesOfKilledProcessesGo and those of living ones stay, unless something is being forgotten.
func TestCopiesOfKilledProcessesGo(t *testing.T) {
	state := t.TempDir()
	inUse := filepath.Join(state, temporary.Name, "check-1-123") // process 1 lives
	left := filepath.Join(state, temporary.Name, "repair-"+noProcess+"-123")
	for _, dir := range []string{inUse, left} {
		put(t, filepath.Join(dir, "ledger.db"), "a copy")
	}
	c, err := temporary.Clear(state, false, time.Now())
	if err != nil || len(c.Places) != 1 || c.Places[0] != left || c.Bytes != int64(len("a copy")) || exists(left) {
		t.Errorf("removed %+v, %v", c, err)
	}
	if c, err = temporary.Clear(state, false, time.Now().Add(48*time.Hour)); err != nil || exists(inUse) {
		t.Errorf("two days later: %+v, %v", c, err)
	}
	put(t, filepath.Join(inUse, "ledger.db"), "a copy")
	if c, err = temporary.Clear(state, true, time.Now()); err != nil || exists(inUse) {
		t.Errorf("all: %+v, %v", c, err)
	}
	if c, err = temporary.Clear(t.TempDir(), true, time.Now()); err != nil || len(c.Places) != 0 {
		t.Errorf("without any: %+v, %v", c, err)
	}
}

// TestALinkInThePlaceOfCopiesIsNotFollowed: every start of an owner emptied the directory that it led to.
func TestALinkInThePlaceOfCopiesIsNotFollowed(t *testing.T) {
	state, elsewhere := t.TempDir(), t.TempDir()
	mine := []string{"thesis.txt", "check-" + noProcess + "-123"} // even by a name of ours
	for _, name := range mine {
		put(t, filepath.Join(elsewhere, name, "x"), "precious")
	}
	if err := os.Symlink(elsewhere, filepath.Join(state, temporary.Name)); err != nil {
		t.Skip(err)
	}
	_, made := temporary.Dir(state, temporary.Check)
	_, noted := temporary.Note(state, filepath.Join(state, "b.tar.0123abcd.partial"), env.System())
	_, cleared := temporary.Clear(state, true, time.Now())
	for _, err := range []error{made, noted, cleared} {
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "is not a directory") {
			t.Errorf("error %v", err)
		}
	}
	found, err := os.ReadDir(elsewhere)
	if err != nil || len(found) != len(mine) {
		t.Errorf("elsewhere: %v, %v", found, err)
	}
}

// TestNothingButCopiesGoes: a name without a process counted as that of a copy.
func TestNothingButCopiesGoes(t *testing.T) {
	state := t.TempDir()
	for _, name := range []string{"thesis.txt", "check-notes", "holiday-" + noProcess + "-1", "check-" + noProcess} {
		put(t, filepath.Join(state, temporary.Name, name), "mine")
	}
	if c, err := temporary.Clear(state, true, time.Now()); err != nil || len(c.Places) > 0 {
		t.Errorf("removed %v, %v", c.Places, err)
	}
}

// TestTheNoteOfABackupOutOfReachStays: it was dropped, so that the backup was never removed once its disk came back.
func TestTheNoteOfABackupOutOfReachStays(t *testing.T) {
	state, top := t.TempDir(), t.TempDir()
	disk, away := filepath.Join(top, "usb"), filepath.Join(top, "away")
	file := filepath.Join(disk, "b.tar.0123abcd.partial")
	put(t, file, archive(t, "ledger.db"))
	if _, err := temporary.Note(state, file, env.System()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(disk, away); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c, err := temporary.Clear(state, true, time.Now())
		left, more := temporary.Unreached(state)
		if err != nil || more != nil || len(c.Places) > 0 || len(left) != 1 || left[0] != file {
			t.Errorf("away: removed %v, left %v, %v, %v", c.Places, left, err, more)
		}
	}
	if err := os.Rename(away, disk); err != nil {
		t.Fatal(err)
	}
	if c, err := temporary.Clear(state, false, time.Now()); err != nil || len(c.Places) != 2 || exists(file) {
		t.Errorf("back: %v, %v", c.Places, err)
	}
	if left, err := temporary.Unreached(state); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestTheBackupOfAKilledOwnerGoes, and nothing else that a note might name.
func TestTheBackupOfAKilledOwnerGoes(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		goes          bool
	}{
		"incomplete":     {"b.tar.0123abcd.partial", archive(t, "ledger.db"), true},
		"empty":          {"b.tar.0123abcd.partial", "", true},
		"another's":      {"b.tar.0123abcd.partial", archive(t, "holiday.jpg"), false},
		"no backup":      {"b.tar.0123abcd.partial", "a download", false},
		"another's name": {"notes.txt", archive(t, "ledger.db"), false},
	} {
		t.Run(name, func(t *testing.T) {
			state, file := t.TempDir(), filepath.Join(t.TempDir(), c.file)
			put(t, file, c.content)
			done, err := temporary.Note(state, file, env.System())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := temporary.Clear(state, false, time.Now()); err != nil || exists(file) == c.goes {
				t.Errorf("it is there: %v, %v", exists(file), err)
			}
			done()
			if left, err := os.ReadDir(filepath.Join(state, temporary.Name)); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestWhatOlderVersionsLeftBesideGoes: their copies and incomplete backups, and nothing that is similar or in use.
func TestWhatOlderVersionsLeftBesideGoes(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "ws-1")
	goes := []string{".ws-1-check-123/ledger.db", ".ws-1-repair-9/blobs/ab/x", "b.tar.0123abcd.partial"}
	stays := []string{".ws-1-check-notes/x", ".ws-12-check-1/x", "ws-1.damaged-20260101-000000/ledger.db", "a.partial"}
	for _, name := range append(goes, stays...) {
		put(t, filepath.Join(dir, name), archive(t, "ledger.db"))
		top, _, _ := strings.Cut(name, "/")
		old(t, filepath.Join(dir, top))
	}
	put(t, filepath.Join(dir, ".ws-1-check-77/ledger.db"), "being written")
	c, err := temporary.ClearBeside(state, time.Now())
	if err != nil || len(c.Places) != len(goes) {
		t.Errorf("removed %v, %v", c.Places, err)
	}
	for _, name := range append(stays, ".ws-1-check-77/ledger.db") {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("%s is gone", name)
		}
	}
	damaged, err := temporary.Damaged(state)
	if err != nil || len(damaged) != 1 || damaged[0] != filepath.Join(dir, "ws-1.damaged-20260101-000000") {
		t.Errorf("damaged: %v, %v", damaged, err)
	}
}

func TestASignalEndsWorkWithCopies(t *testing.T) {
	ctx, stop := temporary.Interruptible(t.Context())
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(syscall.SIGTERM); err != nil {
		t.Skip(err) // Windows
	}
	<-ctx.Done()
	if ctx.Err() != context.Canceled {
		t.Error(ctx.Err())
	}
}

// TestAReplayNeedsNoState: it has a directory of its own where there is no state directory, or none can be made.
func TestAReplayNeedsNoState(t *testing.T) {
	temp := t.TempDir()
	state, file := filepath.Join(temp, "state"), filepath.Join(temp, "file")
	put(t, file, "")
	for at, below := range map[string]string{state: filepath.Join(state, temporary.Name), "": temp, file: temp} {
		dir, err := temporary.Scratch(at, temp)
		if err != nil || filepath.Dir(dir) != below {
			t.Errorf("with the state %q: %s, %v", at, dir, err)
		}
	}
	if _, err := temporary.Scratch("", file); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}
