package upkeep

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// module is the root of the module.
const module = "../.."

// sources calls fn with every file of the product, and the package that it is in.
func sources(t *testing.T, fn func(pkg string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(module, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == "lab" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != "." ||
			d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			fn(filepath.ToSlash(filepath.Dir(rel)), f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rows are the names of the rows of one kind.
func rows(kind Kind) map[string]Place {
	out := map[string]Place{}
	for _, p := range Inventory() {
		if p.Kind == kind {
			out[p.Name] = p
		}
	}
	return out
}

// differ fails for names that only one of two sets has.
func differ(t *testing.T, what string, found map[string]bool, rows map[string]Place) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, ok := rows[name]; !ok {
			t.Errorf("%s %q is not in the inventory: say what it can hold, and how forgetting reaches it", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if !found[name] {
			t.Errorf("the inventory has %s %q, which there is not", what, name)
		}
	}
}

// TestEveryBucketIsInTheInventory: a new one has to say how what it holds is forgotten.
func TestEveryBucketIsInTheInventory(t *testing.T) {
	found := map[string]bool{}
	sources(t, func(pkg string, f *ast.File) {
		if strings.HasPrefix(pkg, "kv") || strings.HasPrefix(pkg, "internal") {
			return // the store itself, and tests
		}
		ast.Inspect(f, func(n ast.Node) bool {
			var typ, value ast.Expr
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Values) == 1 {
					typ, value = n.Type, n.Values[0]
				}
			case *ast.CallExpr:
				if len(n.Args) == 1 {
					typ, value = n.Fun, n.Args[0]
				}
			}
			s, ok := typ.(*ast.SelectorExpr)
			lit, isLit := value.(*ast.BasicLit)
			if ok && isLit && s.Sel.Name == "Bucket" && lit.Kind == token.STRING {
				name, _ := strconv.Unquote(lit.Value)
				found[name] = true
			}
			return true
		})
	})
	differ(t, "bucket", found, rows(Bucket))
}

// TestEveryBucketWithWordsHasARule, and no other.
func TestEveryBucketWithWordsHasARule(t *testing.T) {
	ruled := map[string]bool{}
	for _, r := range rules(time.Time{}) {
		ruled[string(r.Bucket)] = true
	}
	for name, p := range rows(Bucket) {
		if ruled[name] != (p.How == byRule) {
			t.Errorf("bucket %s: the inventory says %q; it has a rule: %v", name, p.How, ruled[name])
		}
	}
}

// TestEveryChildProcessIsInTheInventory: a package that starts programs hands content to them, or keeps it from them.
func TestEveryChildProcessIsInTheInventory(t *testing.T) {
	found := map[string]bool{}
	sources(t, func(pkg string, f *ast.File) {
		for _, i := range f.Imports {
			if i.Path.Value == `"os/exec"` && pkg != "internal/limittest" { // which only tests use
				found[pkg] = true
			}
		}
	})
	differ(t, "child of package", found, rows(Child))
}

// TestEveryPlaceSaysHowItIsReached, or what the user is told.
func TestEveryPlaceSaysHowItIsReached(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Inventory() {
		if p.Holds == "" || (p.How == "") == (p.Told == "") || (p.Told != "") != (p.Kind == Elsewhere) ||
			seen[string(p.Kind)+p.Name] {
			t.Errorf("%+v", p)
		}
		seen[string(p.Kind)+p.Name] = true
	}
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		t.Error(err)
	}
}
