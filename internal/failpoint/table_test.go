package failpoint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTableAndCallsAgree: every point of the table is marked at exactly one place of the product,
// and the table lists every mark.
func TestTableAndCallsAgree(t *testing.T) {
	marks := map[string]int{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range hits(f) {
			if marks[name]++; name == "" {
				t.Errorf("%s marks a point whose name is not a literal", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Points() {
		if n := marks[p.Name]; n != 1 {
			t.Errorf("%s is marked %d times, not once", p.Name, n)
		}
		delete(marks, p.Name)
	}
	for name := range marks {
		t.Errorf("%q is marked and not in the table", name)
	}
}

// hits returns the names that a file gives to Hit.
func hits(f *ast.File) []string {
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); !ok || s.Sel.Name != "Hit" {
			return true
		}
		literal, _ := call.Args[0].(*ast.BasicLit)
		if literal == nil {
			names = append(names, "")
			return true
		}
		name, err := strconv.Unquote(literal.Value)
		if err != nil {
			name = ""
		}
		names = append(names, name)
		return true
	})
	return names
}
