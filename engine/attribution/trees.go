package attribution

import (
	"cmp"
	"path/filepath"
	"slices"

	"ctxledger.dev/internal/paths"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/sessions"
)

// Trees are the directory trees that share a ledger: a workspace's root and its other worktrees. They determine the
// tree of a session and the form of a path in the ledger.
type Trees struct {
	root   string   // of the workspace; "" for a user ledger
	former []string // roots that it had before: sessions that ran there worked on the same files
	list   func() []string
	masks  *redact.Redactor
}

// NewTrees returns the trees of a workspace, and the roots that it had before its ledger was taken over. list returns the
// roots of all; nil: root alone.
func NewTrees(root string, former []string, list func() []string, masks *redact.Redactor) *Trees {
	if list == nil {
		list = func() []string { return []string{root} }
	}
	return &Trees{root, former, list, masks}
}

// homeOf returns the root as it was for a session that ran in a directory.
func (t *Trees) homeOf(dir string) string {
	for _, root := range t.former {
		if _, in := paths.Below(root, dir); in {
			return root
		}
	}
	return t.root
}

// Has reports whether a directory is the root of one of the trees.
func (t *Trees) Has(root string) bool { return slices.Contains(t.list(), root) }

// TreeOf returns the innermost tree that contains a directory, or the one that it leads to through symbolic links; "": none
// does. It reads the disk.
func (t *Trees) TreeOf(dir string) (tree string) {
	switch {
	case dir == "" || t.root == "":
		return ""
	case dir == t.root:
		return t.root
	}
	for _, in := range t.list() {
		if _, within := paths.Below(in, dir); within && len(in) > len(tree) {
			tree = in
		}
	}
	if real, err := filepath.EvalSymlinks(dir); tree == "" && err == nil && real != dir {
		return t.TreeOf(real)
	}
	return tree
}

// IsOf reports whether a session counts as one of a tree: it ran there, or in none of the trees, such as one imported
// from another machine.
func (t *Trees) IsOf(s sessions.Session, tree string) bool {
	if s.Tree == "" && s.Dir != "" && t.here(s) {
		return tree == t.root // recorded by a version without trees
	}
	return s.Tree == "" || s.Tree == tree || tree == t.root && slices.Contains(t.former, s.Tree)
}

// Apart returns the tree of a session that works on other files than those of the workspace's root. It is "" for a
// session that works on the root's files or ran in none of the trees. Paths are relative to the tree and unrelated to
// the files of other trees.
func (t *Trees) Apart(s sessions.Session) string {
	if t.here(s) {
		return ""
	}
	return s.Tree
}

// worksOn returns the tree whose files a session works on, "" being the workspace, and whether there is one: a session
// imported from another machine works on none.
func (t *Trees) worksOn(s sessions.Session) (tree string, known bool) {
	tree = t.Apart(s)
	return tree, tree != "" || t.here(s)
}

// pathOf returns a path of a session in the form of the ledger: without symbolic links where it worked on one of the trees, of
// what is moved or deleted (entry) only without those in its directory.
func (t *Trees) pathOf(s sessions.Session, p string, entry bool) (rel string, outside bool) {
	tree, known := t.worksOn(s)
	if tree == "" && !t.linked(s) {
		rel, outside = t.Normal(s.Dir, p)
	} else {
		rel, outside = normalIn(cmp.Or(tree, t.root), s.Dir, p)
	}
	if !known || rel == "" {
		return rel, outside
	}
	if real := t.real(tree, rel, entry); real != rel {
		return real, false
	}
	return rel, outside
}

// here reports whether a session works on the files of the root, not on another copy of them.
func (t *Trees) here(s sessions.Session) bool {
	if t.root == "" {
		return false
	}
	_, in := paths.Below(t.homeOf(s.Dir), s.Dir)
	return in || s.Dir == "" || t.linked(s)
}

// linked reports whether a session was started in the root by another path, which led there through symbolic links.
func (t *Trees) linked(s sessions.Session) bool {
	_, in := paths.Below(t.homeOf(s.Dir), s.Dir)
	return !in && s.Dir != "" && t.root != "" && s.Tree == t.root
}
