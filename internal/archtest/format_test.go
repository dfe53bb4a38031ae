package archtest

import (
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTheFormatListsEveryBucket: docs/maintainers/format.md has a line for every bucket that the code names, and
// for no other, and knows every step of a migration.
func TestTheFormatListsEveryBucket(t *testing.T) {
	raw, err := os.ReadFile("../../docs/maintainers/format.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z._]+)` \\| .*→").FindAllStringSubmatch(string(raw), -1) {
		listed = append(listed, m[1])
	}
	buckets := bucketConstants(t)
	if len(buckets) < 20 {
		t.Fatalf("only %d buckets were found in the code", len(buckets))
	}
	for name, where := range buckets {
		if !slices.Contains(listed, name) {
			t.Errorf("docs/maintainers/format.md does not list the bucket %q of %s", name, where)
		}
	}
	for _, name := range listed {
		if buckets[name] == "" {
			t.Errorf("docs/maintainers/format.md lists the bucket %q, which no code names", name)
		}
	}
	for _, what := range migrationSteps(t) {
		if !strings.Contains(string(raw), what) {
			t.Errorf("docs/maintainers/format.md does not list the migration that %s", what)
		}
	}
}

// bucketConstants returns the names of all constants of type kv.Bucket, with the package of each.
func bucketConstants(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, f := range source(t) {
		if f.test || within(f.dir, []string{"internal/storetest", "kv/bolt"}) {
			continue // a store's own buckets are described in words
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			value := spec.Values[0]
			if call, ok := value.(*ast.CallExpr); ok && isBucket(call.Fun) && len(call.Args) == 1 {
				value = call.Args[0]
			} else if !isBucket(spec.Type) {
				return true
			}
			if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				name, _ := strconv.Unquote(lit.Value) // the parser accepted it
				found[name] = f.dir
			}
			return true
		})
	}
	return found
}

// isBucket reports whether an expression is the type kv.Bucket.
func isBucket(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "kv" && s.Sel.Name == "Bucket"
}

// migrationSteps returns what the steps of engine/upkeep/migrate.go say that they do.
func migrationSteps(t *testing.T) []string {
	t.Helper()
	var steps []string
	for _, f := range source(t) {
		if f.dir != "engine/upkeep" || f.name != "migrate.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != "migrations" {
				return true
			}
			ast.Inspect(spec, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					what, _ := strconv.Unquote(lit.Value) // the parser accepted it
					steps = append(steps, what)
				}
				return true
			})
			return false
		})
	}
	if len(steps) == 0 {
		t.Error("engine/upkeep/migrate.go has no steps")
	}
	return steps
}
