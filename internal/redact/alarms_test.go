package redact

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sourceNames are the names of files that people write.
var sourceNames = []string{".go", ".s", ".c", ".h", ".md", ".html", ".js", ".css", ".yaml", ".yml", ".json", ".sh", ".py", ".pl", ".txtar"}

// TestFalseAlarmsInRealSourceCode looks for secrets where there are none: in Go's own source and in this
// repository, whose tests plant secrets and are left out. Private keys in there are true finds. So are the
// credentials that Go's tests make up; they are counted as false alarms nevertheless, so that nobody has to
// judge them.
func TestFalseAlarmsInRealSourceCode(t *testing.T) {
	for _, tree := range []struct {
		name, root string
		tests      bool // whether tests count
		least      int  // bytes that must be there
	}{
		{"Go", filepath.Join(goRoot(t), "src"), true, 50 << 20},
		{"this repository", "../..", false, 500 << 10},
	} {
		size, alarms, keys := 0, 0, 0
		err := eachSource(tree.root, func(path string, text []byte) error {
			if !tree.tests && (strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".txtar")) {
				return nil
			}
			size += len(text)
			for _, s := range New(nil).Find(text) {
				if s.Kind == "private-key" {
					keys++
					continue
				}
				alarms++
				t.Logf("%s:%d: %s: %.60q", path, 1+bytes.Count(text[:s.Start], []byte("\n")), s.Kind, text[max(s.Start-12, 0):s.End])
			}
			return nil
		})
		if err != nil || size < tree.least {
			t.Fatalf("%s: only %d bytes of source: %v", tree.root, size, err)
		}
		perMB := float64(alarms) / (float64(size) / 1e6)
		t.Logf("%s: %d alarms and %d private keys in %.1f MB: %.2f alarms per MB", tree.name, alarms, keys, float64(size)/1e6, perMB)
		if perMB > 1 {
			t.Errorf("%s: more than one false alarm per MB: %.2f", tree.name, perMB)
		}
	}
}

// goRoot returns where Go's source is. A test built with -trimpath does not know it itself.
func goRoot(t testing.TB) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// eachSource calls f with every source file of a tree, until it returns an error.
func eachSource(root string, f func(path string, text []byte) error) error {
	tree := os.DirFS(root)
	return fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "node_modules" || d.Name()[0] == '.'):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(sourceNames, filepath.Ext(path)):
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		if err == nil {
			err = f(path, text)
		}
		return err
	})
}
