package attribution

import (
	"slices"

	"ctxledger.dev/internal/redact"
	"ctxledger.dev/sessions"
)

// Trees are the directory trees that share a ledger: a workspace's root and its other worktrees. They say which
// tree a session works on, and which form a path has in the ledger.
type Trees struct {
	root  string // of the workspace; "" for a user ledger
	list  func() []string
	masks *redact.Redactor
}

// NewTrees returns the trees of a workspace. list returns the roots of all; nil: root alone.
func NewTrees(root string, list func() []string, masks *redact.Redactor) *Trees {
	if list == nil {
		list = func() []string { return []string{root} }
	}
	return &Trees{root, list, masks}
}

// Has reports whether a directory is the root of one of the trees.
func (t *Trees) Has(root string) bool { return slices.Contains(t.list(), root) }

// TreeOf returns the innermost of the trees that a directory lies in; "": it lies in none. It looks at the disk.
func (t *Trees) TreeOf(dir string) (tree string) {
	switch {
	case dir == "" || t.root == "":
		return ""
	case dir == t.root:
		return t.root
	}
	for _, in := range t.list() {
		if _, within := below(slashes(in), slashes(dir)); within && len(in) > len(tree) {
			tree = in
		}
	}
	return tree
}

// IsOf reports whether a session counts as one of a tree: it ran there, or in none of the trees, as one that
// was imported from another machine.
func (t *Trees) IsOf(s sessions.Session, tree string) bool {
	if s.Tree == "" && s.Dir != "" && t.here(s) {
		return tree == t.root // recorded before trees were told apart
	}
	return s.Tree == "" || s.Tree == tree
}

// Apart returns the tree of a session whose files are not those of the workspace's root; "": they are, or the
// session ran in none of the trees. Its paths are relative to that tree, and say nothing of another tree's files.
func (t *Trees) Apart(s sessions.Session) string {
	if t.here(s) {
		return ""
	}
	return s.Tree
}

// worksOn returns the tree whose files a session works on, "" being the workspace, and whether it is one of the
// trees at all: a session that was imported from another machine works on none.
func (t *Trees) worksOn(s sessions.Session) (tree string, known bool) {
	tree = t.Apart(s)
	return tree, tree != "" || t.here(s)
}

// pathOf returns a path of a session as the ledger keeps it.
func (t *Trees) pathOf(s sessions.Session, p string) (rel string, outside bool) {
	tree := t.Apart(s)
	if tree == "" {
		return t.Normal(s.Dir, p)
	}
	return normalIn(tree, s.Dir, p)
}

// here reports whether a session works on the files of the root, not on another copy of them.
func (t *Trees) here(s sessions.Session) bool {
	if t.root == "" {
		return false
	}
	_, in := below(slashes(t.root), slashes(s.Dir))
	return in || s.Dir == ""
}
