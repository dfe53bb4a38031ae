package observe

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// maxTrees is how many trees are observed at once: the most recently touched ones.
const maxTrees = 8

// scope is what one observer observes: a tree without the trees inside it, or the workspace with those.
type scope struct {
	root  string  // what paths are relative to
	tree  string  // as the ledger names it; "": the workspace
	own   bool    // whether files outside all inner are observed
	inner []inner // longer paths first
}

// inner is a tree inside another one.
type inner struct {
	path   string // with slashes, relative to the root of the scope
	looked bool   // whether its files are observed
}

// covers reports whether a path is observed.
func (s scope) covers(name string) bool {
	for _, in := range s.inner {
		if name == in.path || strings.HasPrefix(name, in.path+"/") {
			return in.looked
		}
	}
	return s.own
}

// any reports whether anything is observed.
func (s scope) any() bool {
	return s.own || slices.ContainsFunc(s.inner, func(in inner) bool { return in.looked })
}

func (s scope) equal(o scope) bool {
	return s.root == o.root && s.tree == o.tree && s.own == o.own && slices.Equal(s.inner, o.inner)
}

// scopes returns what is observed of the trees of a workspace: its root, and of the trees outside it those that sessions
// touched, the most recent first.
func scopes(root string, trees, touched []string, skip func(tree string) bool) []scope {
	var list []scope
	if main := within(root, "", trees, skip); main.any() {
		list = append(list, main)
	}
	for _, t := range touched {
		_, inside := relative(root, t)
		if len(list) < maxTrees && !inside && slices.Contains(trees, t) && !skip(t) {
			list = append(list, within(t, t, trees, skip))
		}
	}
	return list
}

// within returns the scope of one tree.
func within(root, tree string, trees []string, skip func(tree string) bool) scope {
	s := scope{root: root, tree: tree, own: !skip(root)}
	for _, t := range trees {
		if rel, inside := relative(root, t); inside && t != root {
			s.inner = append(s.inner, inner{rel, tree == "" && !skip(t)})
		}
	}
	slices.SortFunc(s.inner, func(a, b inner) int {
		return cmp.Or(len(b.path)-len(a.path), cmp.Compare(a.path, b.path))
	})
	return s
}

// relative returns the path of a directory inside another one, or the same.
func relative(root, dir string) (rel string, inside bool) {
	rel, err := filepath.Rel(root, dir)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
