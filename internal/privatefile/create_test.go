package privatefile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
)

func TestANewFileIsCreatedOnce(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	path, err := privatefile.Create(base, "a/b/file", []byte("first"))
	if err != nil || path != filepath.Join(base, "a", "b", "file") {
		t.Fatal(path, err)
	}
	if _, err := privatefile.Create(base, "a/b/file", []byte("second")); !fault.Is(err, fault.Conflict) {
		t.Errorf("over an existing file: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, base: 0o700} {
		if info, err := os.Stat(p); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != want) {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestNothingIsCreatedThroughALink puts links in every place of a name, which lead out of the base and inside it.
func TestNothingIsCreatedThroughALink(t *testing.T) {
	for _, target := range []string{"inside", "../outside"} {
		for _, at := range []string{"dir", "dir/sub", "dir/sub/file"} {
			top := t.TempDir()
			base, outside := filepath.Join(top, "base"), filepath.Join(top, "outside")
			for _, d := range []string{filepath.Dir(filepath.Join(base, at)), filepath.Join(base, "inside"), outside} {
				if err := os.MkdirAll(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(filepath.Join(base, target), filepath.Join(base, at)); err != nil {
				t.Skip("no symbolic links here")
			}
			_, err := privatefile.Create(base, "dir/sub/file", []byte("x"))
			if !fault.Is(err, fault.Denied) && !fault.Is(err, fault.Conflict) {
				t.Errorf("%s is a link to %s: %v", at, target, err)
			}
			for _, d := range []string{filepath.Join(base, "inside"), outside} {
				err := filepath.WalkDir(d, func(path string, e fs.DirEntry, err error) error {
					if err == nil && path != d {
						t.Errorf("%s is a link to %s: %s was made", at, target, path)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, name := range []string{"../file", "/file", "a/../../file", ""} {
		if _, err := privatefile.Create(t.TempDir(), name, nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
