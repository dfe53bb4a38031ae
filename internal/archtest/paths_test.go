package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// programs are the commands whose code opens paths for a user.
var programs = []string{"cmd/ctxledger", "cmd/ctxlsp", "cmd/ctxmcp"}

// opens lists, by package, the functions that take a path and use the file at it.
var opens = map[string][]string{
	"os": {
		"Open", "OpenFile", "ReadFile", "OpenRoot", "OpenInRoot", "ReadDir",
		"Stat", "Lstat", "Readlink", "DirFS", "Create", "CreateTemp",
		"MkdirTemp", "Mkdir", "MkdirAll", "WriteFile", "Rename", "Remove", "RemoveAll", "Link", "Symlink", "Chmod",
		"Chown", "Lchown", "Chtimes", "Truncate", "CopyFS", "Chdir",
	},
	"io/ioutil":     {"ReadFile", "WriteFile", "ReadDir", "TempDir", "TempFile"},
	"path/filepath": {"EvalSymlinks", "Walk", "WalkDir", "Glob"},
	"syscall": {"Open", "Openat", "Creat", "Mknod", "Mkdir", "Rename", "Unlink", "Rmdir", "Link", "Symlink",
		"Stat", "Lstat", "Chmod", "Truncate"},

	module + "/internal/safefs": {"Open", "OpenFile", "OpenListed", "OpenAppend", "OpenRoot", "OpenDir", "SyncDir",
		"OpenTarget", "OpenTargetTree", "OpenFound", "Walk", "ReadFile"},
}

// TestEveryCallThatOpensAPathIsInTheCampaign: a new reader or writer comes with a subject that swaps what it
// is given, or with the reason why no one else can.
func TestEveryCallThatOpensAPathIsInTheCampaign(t *testing.T) {
	listed, used, subjects := map[string]string{}, map[string]bool{}, campaign(t)
	for _, o := range openings {
		reasons := []string{ours, temp, naming, owned, resolve, kernel, door}
		if !slices.Contains(reasons, o.subject) && !subjects[o.subject] {
			t.Errorf("%s: the campaign in lab/escapetest has no subject %q", o.in, o.subject)
		}
		for _, call := range strings.Fields(o.calls) {
			listed[o.in+" "+call] = o.subject
		}
	}
	for _, f := range programFiles(t) {
		for _, call := range f.openings() {
			if used[call] = true; listed[call] == "" {
				t.Errorf("%s/%s: no row of openings has %q. Open it below a directory with safefs.Tree, add a subject to lab/escapetest, "+
					"and a row to paths_table_test.go that names it; or a row with the reason why nobody else can swap what lies there",
					f.dir, f.name, call)
			}
		}
	}
	for call := range listed {
		if !used[call] {
			t.Errorf("openings has %q, which the programs do not call: remove it", call)
		}
	}
}

// programFiles returns the files that make up the programs.
func programFiles(t *testing.T) []file {
	t.Helper()
	packages := map[string][]file{}
	for _, f := range source(t) {
		if !f.test {
			packages[f.dir] = append(packages[f.dir], f)
		}
	}
	seen := map[string]bool{}
	var out []file
	for _, program := range programs {
		for _, f := range reached(packages, program) {
			if name := f.dir + "/" + f.name; !seen[name] {
				seen[name] = true
				out = append(out, f)
			}
		}
	}
	if len(out) < 200 {
		t.Fatalf("only %d files make up the programs: the walk is wrong", len(out))
	}
	return out
}

// openings returns the calls of a file that open paths, each as "package function call".
func (f file) openings() []string {
	var out []string
	names := f.names()
	for _, d := range f.ast.Decls {
		in := f.dir + " " + nameOf(d)
		ast.Inspect(d, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(opens[names[x.Name]], s.Sel.Name) {
				path := names[x.Name]
				out = append(out, in+" "+path[strings.LastIndex(path, "/")+1:]+"."+s.Sel.Name)
			}
			return true
		})
	}
	return out
}

// names returns what the imported packages are called in a file.
func (f file) names() map[string]string {
	out := map[string]string{}
	for _, i := range f.ast.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = path
	}
	return out
}

// nameOf returns the name of a function, with its receiver's type in front; "-" for other declarations.
func nameOf(d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return "-"
	}
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// campaign returns the strings in lab/escapetest, among which are the names of its subjects.
func campaign(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, f := range source(t) {
		if f.dir != "lab/escapetest" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					found[s] = true
				}
			}
			return true
		})
	}
	return found
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
