package mcp

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestHintsAreStepsOfAnAgent lists every hint below this package that names a command, with what an agent is told instead.
// Whoever adds one decides here what the step is.
func TestHintsAreStepsOfAnAgent(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"cli", "lab", "lsp", "cmd", "node_modules"}, name) ||
			strings.HasPrefix(name, ".") && name != ".."):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool { note(n, found); return true })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	unused := maps.Clone(steps)
	for _, hint := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&out, "%s\n\t→ %s\n", hint, stepFor(hint))
		delete(unused, hint)
	}
	for hint := range unused {
		t.Errorf("no error has the hint %q any more", hint)
	}
	golden(t, "testdata/hints.txt", []byte(out.String()))
}

// note adds the hint of a call of WithHint that names a command.
func note(n ast.Node, found map[string]bool) {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) == 0 {
		return
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "WithHint" {
		return
	}
	text, ok := c.Args[0].(*ast.BasicLit)
	if !ok {
		return
	}
	if hint, err := strconv.Unquote(text.Value); err == nil && ofShell(hint) {
		found[hint] = true
	}
}
