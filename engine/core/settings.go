package core

import (
	"sync"

	"ctxledger.dev/sessions"
)

// maxSettings is how many trees' settings are kept.
const maxSettings = 64

// treeSettings knows what each of the directory trees that share a ledger configures. It is safe for concurrent use.
type treeSettings struct {
	root string
	read func(tree string) Settings // nil: every tree has own
	own  Settings                   // of the workspace

	mu   sync.Mutex
	kept map[string]Settings // guarded by mu
}

func newTreeSettings(o Options) *treeSettings {
	return &treeSettings{root: o.Workspace, read: o.SettingsOf, own: o.Settings.settled(), kept: map[string]Settings{}}
}

// of returns what holds in a tree; "" is the workspace.
func (t *treeSettings) of(tree string) Settings {
	if tree == "" || tree == t.root || t.read == nil {
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

// Settings returns what is configured for a session: by the tree that it ran in.
func (l *Ledger) Settings(s sessions.Session) Settings { return l.configured.of(s.Tree) }
