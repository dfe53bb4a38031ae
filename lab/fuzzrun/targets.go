package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// target is one fuzz function.
type target struct {
	dir  string // of its package, relative to the module's root
	name string
}

func (t target) String() string { return t.dir + " " + t.name }

// corpus returns where the inputs of a target lie in the tree.
func (t target) corpus() string { return path.Join(t.dir, "testdata/fuzz", t.name) }

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz[A-Z]\w*)\(\w+ \*testing\.F\)`)

// targets returns the fuzz targets of a module in the order of their packages: all, or those whose name or package
// contains only.
func targets(tree fs.FS, only string) ([]target, error) {
	var list []target
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(p); d.IsDir() && p != "." &&
			(base[0] == '.' || base == "testdata" || base == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, "_test.go") {
			return nil
		}
		raw, err := fs.ReadFile(tree, p)
		for _, m := range fuzzFunction.FindAllSubmatch(raw, -1) {
			if t := (target{path.Dir(p), string(m[1])}); strings.Contains(t.String(), only) {
				list = append(list, t)
			}
		}
		return err
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no fuzz target has %q in its name or package", only)
	}
	return list, err
}
