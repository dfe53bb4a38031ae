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

// TestTheRaceDetectorWatchesWhereGoroutinesMeet: the Makefile's lists of what is tested under it have every
// package that starts a goroutine, or has somebody start one, in its code or its tests, and no other.
func TestTheRaceDetectorWatchesWhereGoroutinesMeet(t *testing.T) {
	started, tested := map[string]string{}, map[string]bool{}
	for _, f := range source(t) {
		if at := f.starts(); at != "" {
			started[f.dir] = at
		}
		tested[f.dir] = tested[f.dir] || f.test
	}
	watched := append(named(t, "RACED"), named(t, "LARGE")...)
	for dir, at := range started {
		if tested[dir] && !within(dir, []string{"lab"}) && !slices.Contains(watched, dir) {
			t.Errorf("%s starts a goroutine, and neither RACED nor LARGE in the Makefile has %s", at, dir)
		}
	}
	for _, dir := range named(t, "RACED") {
		if started[dir] == "" {
			t.Errorf("the Makefile's RACED has %s, which starts no goroutine", dir)
		}
	}
}

// named returns the words of one of the Makefile's lists.
func named(t *testing.T, list string) []string {
	t.Helper()
	raw, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^` + list + `\s*:=((?:.*\\\n)*.*)$`).FindSubmatch(raw)
	if m == nil {
		t.Fatalf("the Makefile has no list %s", list)
	}
	return strings.Fields(strings.ReplaceAll(string(m[1]), "\\\n", " "))
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
