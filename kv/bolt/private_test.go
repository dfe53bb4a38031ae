//go:build unix

package bolt

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// TestEverythingIsPrivateUnderAnyUmask: directories 0700, files 0600.
func TestEverythingIsPrivateUnderAnyUmask(t *testing.T) {
	for _, umask := range []int{0o000, 0o022, 0o077} {
		dir := filepath.Join(t.TempDir(), "a", "state")
		old := syscall.Umask(umask)
		s, err := Open(dir, kv.Options{})
		if err == nil {
			_, err = s.PutBlob(context.Background(), strings.NewReader("content"), 100)
			checkModes(t, filepath.Dir(dir))
			must(t, s.Close())
		}
		syscall.Umask(old)
		must(t, err)
	}
}

// checkModes checks dir and all below it.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	}))
	if files < 2 {
		t.Errorf("%d files, want the ledger and a blob", files)
	}
}

// TestLooseModesAreTightened: of a ledger that someone opened to others.
func TestLooseModesAreTightened(t *testing.T) {
	dir, file := newLedger(t)
	must(t, os.Chmod(file, 0o644))
	must(t, os.Chmod(filepath.Join(dir, blobsName), 0o777))
	must(t, os.Chmod(dir, 0o755))
	s := mustOpen(t, dir, kv.Options{})
	defer s.Close()
	_, err := s.PutBlob(context.Background(), strings.NewReader("content"), 100)
	must(t, err)
	checkModes(t, dir)
}

// TestForeignDirectoryIsLeftAlone: a directory full of other things, or shared by all, is not
// a state directory, and taking it for one must not lock its users out.
func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	home := t.TempDir()
	must(t, os.Chmod(home, 0o755))
	must(t, os.WriteFile(filepath.Join(home, "notes"), nil, 0o600))
	shared := t.TempDir()
	must(t, os.Chmod(shared, 0o777|fs.ModeSticky))
	for _, dir := range []string{home, shared} {
		before, err := os.Stat(dir)
		must(t, err)
		_, err = Open(dir, kv.Options{})
		if !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
			t.Errorf("%v", err)
		}
		if after, _ := os.Stat(dir); after.Mode() != before.Mode() {
			t.Errorf("mode changed from %v to %v", before.Mode(), after.Mode())
		}
		if _, err := os.Stat(filepath.Join(dir, ledgerName)); err == nil {
			t.Error("a ledger was made")
		}
	}
}

func TestFilesOfAnotherUserAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, name := range []string{".", ledgerName, blobsName} {
		dir, _ := newLedger(t)
		must(t, os.Chown(filepath.Join(dir, name), 4242, -1))
		_, err := Open(dir, kv.Options{})
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "belongs to user 4242") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPipeIsRefusedWithoutWaiting(t *testing.T) {
	dir, file := newLedger(t)
	must(t, os.Remove(file))
	must(t, syscall.Mkfifo(file, 0o600))
	_, err := Open(dir, kv.Options{})
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "special file") {
		t.Error(err)
	}
}

// TestNoPermissionIsDenied: a read-only directory, an unreadable ledger, a parent without
// permission to create.
func TestNoPermissionIsDenied(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(dir, file string) (open string)
	}{
		{"read-only directory without a ledger", func(dir, file string) string {
			must(t, os.Remove(file))
			must(t, os.Chmod(dir, 0o500))
			return dir
		}},
		{"unreadable ledger", func(dir, file string) string {
			must(t, os.Chmod(file, 0))
			return dir
		}},
		{"directory that cannot be entered", func(dir, _ string) string {
			must(t, os.Chmod(dir, 0))
			return dir
		}},
		{"directory that cannot be made", func(dir, _ string) string {
			must(t, os.Chmod(dir, 0o500))
			return filepath.Join(dir, "more", "state")
		}},
	} {
		dir, file := newLedger(t)
		open := c.prepare(dir, file)
		var err error
		unprivileged(t, dir, func() { _, err = Open(open, kv.Options{}) })
		if !fault.Is(err, fault.Denied) {
			t.Errorf("%s: %s: %v", c.name, fault.CodeOf(err), err)
		}
		must(t, os.Chmod(dir, 0o700)) // so that it can be removed
	}
}

// unprivileged runs fn without root's right to ignore permissions.
func unprivileged(t *testing.T, _ string, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		fn()
		return
	}
	dropOverride(t, fn)
}

// TestOnlyALostWriteStopsTheWriter: a full disk may be freed and written to again; after an
// I/O error the content of the disk is unknown.
func TestOnlyALostWriteStopsTheWriter(t *testing.T) {
	for _, c := range []struct {
		errno syscall.Errno
		code  fault.Code
		stops bool
		hint  string
	}{
		{syscall.EIO, fault.Unavailable, true, ""},
		{syscall.ENOSPC, fault.Full, false, hintFull},
		{syscall.EDQUOT, fault.Full, false, hintFull},
		{syscall.EROFS, fault.Denied, false, hintState},
	} {
		var s Store
		err := s.finish(func() error { return &fs.PathError{Op: "write", Path: ledgerName, Err: c.errno} })
		if fault.CodeOf(err) != c.code || fault.HintOf(err) != c.hint || s.brokenBy(err) != c.stops {
			t.Errorf("%v: %s, %v, hint %q, stops: %v", c.errno, fault.CodeOf(err), err, fault.HintOf(err), s.failure())
		}
	}
}
