package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackagesWithoutTheRaceDetectorStartNoGoroutine: the Makefile's list of what is tested without it
// names packages in which it has nothing to see, nor in what they import.
func TestPackagesWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	packages := map[string][]file{}
	for _, f := range source(t) {
		packages[f.dir] = append(packages[f.dir], f)
	}
	met := map[string]bool{} // exceptions that somebody needs
	for _, dir := range quiet(t) {
		if len(packages[dir]) == 0 {
			t.Errorf("the Makefile names %s, which is no package", dir)
		}
		for _, f := range reached(packages, dir) {
			if at := f.starts(); at == "" {
				continue
			} else if _, ok := crowded[f.dir]; ok {
				met[f.dir] = true
			} else {
				t.Errorf("%s is tested without the race detector, and %s starts a goroutine", dir, at)
			}
		}
	}
	for dir := range crowded {
		if !met[dir] {
			t.Errorf("%s is crowded, and nobody reaches a goroutine of it: remove the exception", dir)
		}
	}
}

// quiet returns the packages that the Makefile tests without the race detector.
func quiet(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^QUIET\s*:=((?:.*\\\n)*.*)$`).FindSubmatch(raw)
	if m == nil {
		t.Fatal("the Makefile has no list QUIET")
	}
	return strings.Fields(strings.ReplaceAll(string(m[1]), "\\\n", " "))
}

// reached returns the files of a package with its tests, and those of all it imports without theirs.
func reached(packages map[string][]file, dir string) []file {
	var out []file
	seen := map[string]bool{dir: true}
	for next := []string{dir}; len(next) > 0; next = next[1:] {
		for _, f := range packages[next[0]] {
			if f.test && f.dir != dir {
				continue
			}
			out = append(out, f)
			for _, imp := range f.imports() {
				if d, ours := strings.CutPrefix(imp, module+"/"); ours && !seen[d] {
					seen[d] = true
					next = append(next, d)
				}
			}
		}
	}
	return out
}

// starts returns where the file starts a goroutine, or has somebody start one; "" when it does not.
func (f file) starts() string {
	if slices.Contains(f.imports(), "net/http") {
		return f.dir + "/" + f.name + ", with net/http,"
	}
	at := token.NoPos
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at = n.Pos()
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if ok && (s.Sel.Name == "Go" || s.Sel.Name == "Parallel" || s.Sel.Name == "RunParallel") {
				at = n.Pos()
			}
		}
		return true
	})
	if at == token.NoPos {
		return ""
	}
	return f.fset.Position(at).String()
}
