package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/kv"
)

// Permissions that were loosened before an owner began, or while it runs, are tightened; links are not followed.
func TestLoosenedPermissionsAreTightened(t *testing.T) {
	if !hasModes {
		t.Skip("no permission bits here")
	}
	state := filepath.Join(t.TempDir(), "state")
	outside := filepath.Join(t.TempDir(), "outside")
	open := func() *Store {
		s, err := Open(state, kv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if _, err := s.PutBlob(t.Context(), strings.NewReader("content"), 100); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.MkdirAll(filepath.Join(state, "log"), 0o700),
		os.WriteFile(filepath.Join(state, "log", "daemon.log"), nil, 0o600),
		os.WriteFile(filepath.Join(state, "owner.json"), nil, 0o600),
		os.WriteFile(outside, nil, 0o644), os.Chmod(outside, 0o644),
		os.Symlink(outside, filepath.Join(state, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	loosen := func() {
		err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
			if d.Type()&fs.ModeSymlink != 0 {
				return err
			}
			return errors.Join(err, os.Chmod(path, 0o777))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	private := func(when string, blobs bool) {
		t.Helper()
		err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
			info, lost := d.Info()
			err = errors.Join(err, lost)
			if err != nil || d.Type()&fs.ModeSymlink != 0 || !blobs && len(d.Name()) == 64 {
				return err
			}
			if p := info.Mode().Perm(); d.IsDir() && p != dirMode || !d.IsDir() && p != fileMode {
				t.Errorf("%s: %s has mode %#o", when, path, p)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	loosen()
	if err := s.Tighten(); err != nil {
		t.Fatal(err)
	}
	private("while it runs", true)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	loosen()
	s = open()
	defer s.Close()
	private("at the start", false)
	if err := s.Tighten(); err != nil {
		t.Fatal(err)
	}
	private("after the start", true)
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("a link was followed: %v, %v", info.Mode(), err)
	}
}
