package workspace

import (
	"os"
	"path/filepath"

	"ctxledger.dev/internal/env"
)

// recordsName is the file of a state directory without which it holds no ledger.
const recordsName = "ledger.db"

// Other is a ledger that the processes of a workspace do not use, though it was made for their directory.
type Other struct {
	Root  string `json:"root"`      // the directory that it was made for
	State string `json:"state_dir"` // where it is kept
	Same  bool   `json:"same"`      // Root is that of the workspace's ledger too, else a directory below
}

// Others returns the ledgers besides w's that were made for the directory of a process or for one between it and the
// root of w, the root's last: work in them would seem lost after a directory became a repository, or part of one.
func Others(e env.Env, w Workspace) (list []Other) {
	if w.Root == "" {
		return nil
	}
	r, base := newRefusals(e), filepath.Dir(w.UserState)
	dir, _ := directory(e.Dir)
	if rel, err := filepath.Rel(w.Root, dir); err != nil || !filepath.IsLocal(rel) {
		dir = w.Root
	}
	for ; dir != w.Root; dir = filepath.Dir(dir) {
		if id, _ := identify(dir, r); r.why(dir) == "" {
			if state := id.state(base, dir, r); HoldsLedger(state) {
				list = append(list, Other{Root: dir, State: state})
			}
		}
	}
	id, _ := identify(w.Root, r)
	if before, main := id.otherwise(w.Root, r); main != "" {
		for _, name := range []string{id.directory(), before.directory()} {
			if state := filepath.Join(base, name); state != w.State && HoldsLedger(state) {
				list = append(list, Other{main, state, true})
			}
		}
	}
	return list
}

// state returns the state directory of a root with this identity: that of the identity which its directory had before
// `git init`, or before it lost its repository, if only that one holds a ledger.
func (i identity) state(base, root string, r refusals) string {
	own := filepath.Join(base, i.directory())
	if HoldsLedger(own) {
		return own
	}
	if before, main := i.otherwise(root, r); main != "" {
		if state := filepath.Join(base, before.directory()); HoldsLedger(state) {
			return state
		}
	}
	return own
}

// otherwise returns the other identity of the same directory: that of a plain directory for a repository's main tree
// and all that share its ledger, and that of a repository for a directory without one. main is that directory; "":
// there is no other identity.
func (i identity) otherwise(root string, r refusals) (other identity, main string) {
	if i.common == "" {
		common := filepath.Join(root, gitName)
		return identity{name: sanitize(filepath.Base(root)), key: fold(common)}, root
	}
	main = filepath.Join(mainTree(i.common), i.inside)
	// A git directory may name any directory as its main tree; only that directory can confirm it.
	if itself, _ := identify(main, r); itself.common == "" || itself.key != i.key {
		return identity{}, ""
	}
	return alone(main), main
}

// HoldsLedger reports whether a state directory holds a ledger.
func HoldsLedger(state string) bool {
	info, err := os.Lstat(filepath.Join(state, recordsName))
	return err == nil && info.Mode().IsRegular()
}
