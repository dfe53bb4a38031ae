package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

const module = "ctxledger.dev"

// file is one Go source file of the module.
type file struct {
	dir, name string // relative to the module's root
	test      bool
	lines     int
	ast       *ast.File
	fset      *token.FileSet
}

// source returns every Go file of the module.
func source(t *testing.T) []file {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d source files found: the walk is wrong", len(files))
	}
	return files
}

// parsed parses every Go file of the module and of the one in lab/ once, other nested modules left out.
var parsed = sync.OnceValues(func() ([]file, error) {
	root := os.DirFS("../..")
	var files []file
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, nested := fs.Stat(root, path.Join(p, "go.mod"))
			base := path.Base(p)
			if p != "." && (nested == nil && p != "lab" || strings.HasPrefix(base, ".") ||
				base == "testdata" || base == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		raw, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, raw, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file{path.Dir(p), path.Base(p), strings.HasSuffix(p, "_test.go"),
			strings.Count(string(raw), "\n"), f, fset})
		return nil
	})
	return files, err
})

// imports returns the import paths of a file.
func (f file) imports() []string {
	var out []string
	for _, i := range f.ast.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether dir is in one of the subtrees.
func within(dir string, subtrees []string) bool {
	for _, s := range subtrees {
		if s = strings.TrimSuffix(s, "/..."); dir == s || strings.HasPrefix(dir, s+"/") {
			return true
		}
	}
	return false
}

// layer returns the layer of a package by the most specific line of the table.
func layer(dir string) (int, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if n, ok := layers[d]; ok && d == dir {
			return n, true
		}
		if n, ok := layers[d+"/..."]; ok {
			return n, true
		}
	}
	return 0, false
}

func TestImportsGoDown(t *testing.T) {
	for _, f := range source(t) {
		if f.test {
			continue // tests may use the real thing from any layer
		}
		own, ok := layer(f.dir)
		if !ok {
			t.Errorf("%s: package has no line in the table of layers", f.dir)
			continue
		}
		for _, imp := range f.imports() {
			dir, ours := strings.CutPrefix(imp, module+"/")
			if !ours || f.dir == dir {
				continue
			}
			if theirs, _ := layer(dir); theirs > own {
				t.Errorf("%s/%s (layer %d) imports %s (layer %d): facts go down, views come back",
					f.dir, f.name, own, dir, theirs)
			}
			for _, a := range apart {
				if within(f.dir, a.from) && within(dir, a.to) {
					t.Errorf("%s/%s imports %s: %s", f.dir, f.name, dir, a.why)
				}
			}
		}
	}
}

// TestFacesLinkNoStore: servers and readers of session files are built on the contract alone, so that another
// store, or a ledger elsewhere, can answer them.
func TestFacesLinkNoStore(t *testing.T) {
	imports := map[string][]string{}
	for _, f := range source(t) {
		if !f.test {
			imports[f.dir] = append(imports[f.dir], f.imports()...)
		}
	}
	for dir := range imports {
		if !within(dir, storeless) {
			continue
		}
		seen := map[string]bool{}
		var follow func(dir, by string)
		follow = func(at, by string) {
			if seen[at] {
				return
			}
			seen[at] = true
			for _, imp := range imports[at] {
				own, ours := strings.CutPrefix(imp, module+"/")
				switch {
				case ours && within(own, []string{"engine", "kv/bolt", "kv/stores"}),
					imp == "go.etcd.io/bbolt":
					t.Errorf("%s links %s (%s > %s)", dir, imp, by, at)
				case ours:
					follow(own, by+" > "+at)
				}
			}
		}
		follow(dir, dir)
	}
}

// TestStoresAreOpenedByURL: only the registry names a store, so that another one is a package and a line there. Tests are no
// exception.
func TestStoresAreOpenedByURL(t *testing.T) {
	for _, f := range source(t) {
		if slices.Contains(f.imports(), module+"/kv/bolt") && !within(f.dir, []string{"kv/bolt", "kv/stores"}) {
			t.Errorf("%s/%s imports kv/bolt: open a store by its URL, with kv/stores", f.dir, f.name)
		}
	}
}

func TestEveryThirdPartyModuleHasOneImporter(t *testing.T) {
	used := map[string]bool{}
	for _, f := range source(t) {
		for _, imp := range f.imports() {
			if !strings.Contains(strings.Split(imp, "/")[0], ".") || strings.HasPrefix(imp, module) {
				continue
			}
			name := ""
			for m := range importers {
				if imp == m || strings.HasPrefix(imp, m+"/") {
					name = m
				}
			}
			if used[name] = true; name == "" {
				t.Errorf("%s/%s imports %s, which has no row in the table: a new dependency needs a reason",
					f.dir, f.name, imp)
			} else if !f.test && !within(f.dir, importers[name].packages) {
				t.Errorf("%s/%s imports %s, which belongs to %v alone", f.dir, f.name, imp, importers[name].packages)
			}
		}
	}
	for m := range importers {
		if !used[m] {
			t.Errorf("the table names %s, which nobody imports", m)
		}
	}
}

func TestRestrictedPackagesAndCalls(t *testing.T) {
	used := map[[2]string]bool{} // exceptions that somebody needs
	for _, f := range source(t) {
		if f.test {
			continue
		}
		for _, r := range restricted {
			pkg, name := r.use, ""
			if i := strings.LastIndex(r.use, "."); i > strings.LastIndex(r.use, "/") {
				pkg, name = r.use[:i], r.use[i+1:]
			}
			if !slices.Contains(f.imports(), pkg) {
				continue
			}
			pos := f.dir + "/" + f.name
			if name != "" {
				pos = f.selects(path.Base(pkg), name)
			}
			i := slices.IndexFunc(r.packages, func(p string) bool { return within(f.dir, []string{p}) })
			switch {
			case pos == "":
			case i < 0:
				t.Errorf("%s uses %s: %s", pos, r.use, r.why)
			default:
				used[[2]string{r.use, r.packages[i]}] = true
			}
		}
	}
	for _, r := range restricted {
		for _, p := range r.packages {
			if !used[[2]string{r.use, p}] {
				t.Errorf("%s may use %s, and does not: remove the exception", p, r.use)
			}
		}
	}
}

// selects returns where the file uses pkg.name, or "".
func (f file) selects(pkg, name string) string {
	at := ""
	ast.Inspect(f.ast, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg && s.Sel.Name == name && !f.excused(s.Pos(), "//style:ok") {
			at = f.fset.Position(s.Pos()).String()
		}
		return true
	})
	return at
}

// excused reports whether the line of pos, or the one before it, carries an excuse.
func (f file) excused(pos token.Pos, mark string) bool {
	line := f.fset.Position(pos).Line
	for _, g := range f.ast.Comments {
		for _, c := range g.List {
			if l := f.fset.Position(c.Pos()).Line; (l == line || l == line-1) && strings.HasPrefix(c.Text, mark+" ") {
				return true
			}
		}
	}
	return false
}

func TestEveryPackageHasOneComment(t *testing.T) {
	comments := map[string]int{}
	for _, f := range source(t) {
		if f.test {
			continue
		}
		if f.ast.Doc != nil {
			comments[f.dir]++
		} else {
			comments[f.dir] += 0
		}
	}
	for dir, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments, not one", dir, n)
		}
	}
}

func TestEveryExportIsDocumented(t *testing.T) {
	for _, f := range source(t) {
		if f.test || f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: exported %s has no comment", f.fset.Position(d.Pos()), name)
			}
		}
	}
}

// undocumented returns the exported names of a declaration without a comment.
func undocumented(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil &&
			(d.Recv == nil || exportedReceiver(d) && !standardMethod(d.Name.Name)) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func exportedReceiver(d *ast.FuncDecl) bool {
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

// standardMethod reports whether a method's meaning is that of a well-known interface.
func standardMethod(name string) bool {
	return slices.Contains([]string{"Error", "String", "Unwrap", "Read", "Write", "Close", "ReadAt", "Len", "Less",
		"Swap"}, name)
}

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	var functions, fileSizes []int
	product, tests := 0, 0
	for _, f := range source(t) {
		if f.test {
			tests += f.lines
			continue
		}
		product += f.lines
		fileSizes = append(fileSizes, f.lines)
		if f.lines > maxFileLines && !f.excused(f.ast.Package, "//size:ok") {
			t.Errorf("%s/%s has %d lines, more than %d", f.dir, f.name, f.lines, maxFileLines)
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1
			functions = append(functions, n)
			if n > maxFunctionLines && !f.excused(fn.Pos(), "//size:ok") {
				t.Errorf("%s: %s has %d lines, more than %d", f.fset.Position(fn.Pos()), fn.Name.Name, n,
					maxFunctionLines)
			}
		}
	}
	t.Logf("files: %s; functions: %s; lines of tests per line of product: %.2f (%d : %d)",
		spread(fileSizes), spread(functions), float64(tests)/float64(product), tests, product)
}

// quoted matches the text of a string on one line: breaking one up makes it harder to find.
var quoted = regexp.MustCompile("\"(\\\\.|[^\"\\\\])*\"|`[^`]*`")

// TestLinesFitTheScreen: code of the product and of its tests has at most maxColumns columns. A line with a string of
// half that length may be longer, and so may the tables in wide, and what a test quotes over several lines.
func TestLinesFitTheScreen(t *testing.T) {
	for _, f := range source(t) {
		if within(f.dir, []string{"lab"}) || wide[f.dir+"/"+f.name] != "" {
			continue
		}
		var texts map[int]bool
		if f.test {
			texts = f.texts()
		}
		raw, err := os.ReadFile(filepath.Join("../..", f.dir, f.name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(raw), "\n") {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns <= maxColumns || strings.HasPrefix(strings.TrimSpace(line), "//") || texts[i+1] {
				continue
			}
			long := func(s string) bool { return len(s) > maxColumns/2 }
			if !slices.ContainsFunc(quoted.FindAllString(line, -1), long) {
				t.Errorf("%s/%s:%d has %d columns, more than %d", f.dir, f.name, i+1, columns, maxColumns)
			}
		}
	}
}

// texts returns the lines of a file that a string literal over several lines continues on.
func (f file) texts() map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			for i := f.fset.Position(s.Pos()).Line + 1; i <= f.fset.Position(s.End()).Line; i++ {
				lines[i] = true
			}
		}
		return true
	})
	return lines
}

// spread prints the median, the 95th percentile and the maximum of sizes.
func spread(sizes []int) string {
	slices.Sort(sizes)
	return fmt.Sprintf("%d, median %d, p95 %d, max %d", len(sizes), sizes[len(sizes)/2], sizes[len(sizes)*95/100],
		sizes[len(sizes)-1])
}

func TestNothingNamesAMachineOrARegistry(t *testing.T) {
	foreign := []string{"/wo" + "rk/", "/fa" + "rm/", "registry.npm" + "js", "proxy.golang" + ".org", "deb.deb" + "ian"}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(p)
		if d.IsDir() && p != "." && (base == ".git" || base == ".cache" || base == "bin" || base == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) == ".bin" || path.Base(p) == ".git" { // in a linked worktree, .git is a file
			return nil
		}
		raw, err := fs.ReadFile(root, p)
		for _, f := range foreign {
			if strings.Contains(string(raw), f) {
				t.Errorf("%s contains %q", p, f)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
