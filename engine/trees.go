package engine

import (
	"sync"

	"ctxledger.dev/sessions"
)

// maxSettings is how many trees' settings are kept.
const maxSettings = 64

// trees knows the directory trees that share a ledger, and what each configures. It is safe for concurrent use.
type trees struct {
	list func() []string
	read func(tree string) Settings // nil: every tree has own
	own  Settings                   // of the workspace

	mu   *sync.Mutex
	kept map[string]Settings // guarded by mu
}

func newTrees(o Options) trees {
	t := trees{list: o.Trees, read: o.SettingsOf, own: o.Settings.settled(), mu: &sync.Mutex{}, kept: map[string]Settings{}}
	if t.list == nil {
		t.list = func() []string { return []string{o.Workspace} }
	}
	return t
}

// settings returns what holds in a tree; "" is the workspace.
func (t *trees) settings(tree, root string) Settings {
	if tree == "" || tree == root || t.read == nil {
		return t.own
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, known := t.kept[tree]
	if !known {
		s = t.read(tree).settled()
		if len(t.kept) >= maxSettings {
			clear(t.kept)
		}
		t.kept[tree] = s
	}
	return s
}

// settings returns what is configured for a session: by the tree that it ran in.
func (l *Local) settings(s sessions.Session) Settings { return l.trees.settings(s.Tree, l.root) }

// treeOf returns the innermost of the trees that a directory lies in; "": it lies in none. It looks at the disk.
func (l *Local) treeOf(dir string) (tree string) {
	switch {
	case dir == "" || l.root == "":
		return ""
	case dir == l.root:
		return l.root
	}
	for _, t := range l.trees.list() {
		if _, in := below(slashes(t), slashes(dir)); in && len(t) > len(tree) {
			tree = t
		}
	}
	return tree
}

// isOf reports whether a session counts as one of a tree: it ran there, or in none of the trees, as one that
// was imported from another machine.
func (l *Local) isOf(s sessions.Session, tree string) bool {
	if s.Tree == "" && s.Dir != "" && l.here(s) {
		return tree == l.root // recorded before trees were told apart
	}
	return s.Tree == "" || s.Tree == tree
}

// apart returns the tree of a session whose files are not those of the workspace's root; "": they are, or the
// session ran in none of the trees. Its paths are relative to that tree, and say nothing of another tree's files.
func (l *Local) apart(s sessions.Session) string {
	if l.here(s) {
		return ""
	}
	return s.Tree
}

// worksOn returns the tree whose files a session works on, "" being the workspace, and whether it is one of the
// trees at all: a session that was imported from another machine works on none.
func (l *Local) worksOn(s sessions.Session) (tree string, known bool) {
	tree = l.apart(s)
	return tree, tree != "" || l.here(s)
}

// pathOf returns a path of a session as the ledger keeps it.
func (l *Local) pathOf(s sessions.Session, p string) (rel string, outside bool) {
	tree := l.apart(s)
	if tree == "" {
		return l.normal(s.Dir, p)
	}
	return normalIn(tree, s.Dir, p)
}
