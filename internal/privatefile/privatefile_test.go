package privatefile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
)

func TestAFileIsReplacedWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	for _, content := range []string{"first", "second, which is longer", ""} {
		if err := privatefile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != want) {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(path, "by a directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := privatefile.Write(path, []byte("x")); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}
