package tokens

import (
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standardLibrary yields the files of the Go standard library's source, one after the other.
func standardLibrary(t *testing.T) iter.Seq[string] {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	tree := os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src"))
	return func(yield func(string) bool) {
		err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := fs.ReadFile(tree, path)
			if err == nil && !yield(string(text)) {
				err = fs.SkipAll
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestOracleOnTheStandardLibrary(t *testing.T) {
	withOracle(t, func(t *testing.T, o *oracle) {
		size := 0
		n := o.compare(t, func(yield func(string) bool) {
			for text := range standardLibrary(t) {
				if size += len(text); !yield(text) {
					return
				}
			}
		})
		if n < 5000 {
			t.Errorf("only %d files", n)
		}
		t.Logf("%s: %d files, %d bytes", o.e, n, size)
	})
}
