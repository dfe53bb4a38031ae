package archtest

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheRaceDetectorWatchesWhereGoroutinesMeet: each package that the Makefile's RACED names starts a goroutine, or has
// somebody start one, in its code or its tests. make races watches all other packages, whatever they do.
func TestTheRaceDetectorWatchesWhereGoroutinesMeet(t *testing.T) {
	started := map[string]bool{}
	for _, f := range source(t) {
		started[f.dir] = started[f.dir] || f.starts()
	}
	for _, dir := range named(t, "RACED") {
		if !started[dir] {
			t.Errorf("the Makefile's RACED has %s, which starts no goroutine", dir)
		}
	}
}

// TestTheMakefilesListsNameTests: a test that has got another name leaves no target unnoticed.
func TestTheMakefilesListsNameTests(t *testing.T) {
	var tests []string
	for _, f := range source(t) {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.test && strings.HasPrefix(d.Name.Name, "Test") {
				tests = append(tests, d.Name.Name)
			}
		}
	}
	for _, list := range []string{"ALONE", "ALONE_THERE", "MEETING", "IN_VSCODE", "OF_AGENTS"} {
		one := regexp.MustCompile(`(?:[^|/]+)(?:/\([^)]*\)|/[^|]*)?`) // of them, perhaps with some of its cases
		for _, name := range one.FindAllString(strings.ReplaceAll(named(t, list)[0], "$$", "$"), -1) {
			name, _, _ = strings.Cut(name, "/")
			if !slices.ContainsFunc(tests, regexp.MustCompile(name).MatchString) {
				t.Errorf("the Makefile's %s has %s, which is in the name of no test", list, name)
			}
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

// starts reports whether the file starts a goroutine, or has somebody start one.
func (f file) starts() (yes bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			yes = true
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			yes = yes || ok && (s.Sel.Name == "Go" || s.Sel.Name == "Parallel" || s.Sel.Name == "RunParallel")
		}
		return !yes
	})
	return yes || slices.Contains(f.imports(), "net/http")
}
