package tokens

import (
	"flag"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var oracleWhole = flag.Bool("whole", false, "compare with the references all there is, not a sample")

// sample returns how large a part of a comparison with a reference is made: all of it for make counts, else a part.
func sample(whole, part int) int {
	if *oracleWhole {
		return whole
	}
	return part
}

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
		files, size, step := 0, 0, sample(1, 40)
		n := o.compare(t, func(yield func(string) bool) {
			for text := range standardLibrary(t) {
				if files++; files%step != 0 {
					continue
				}
				if size += len(text); !yield(text) {
					return
				}
			}
		})
		if files < 5000 {
			t.Errorf("only %d files", files)
		}
		t.Logf("%s: %d of %d files, %d bytes", o.e, n, files, size)
	})
}
