package workspace

import (
	"path/filepath"

	"ctxledger.dev/internal/env"
)

// Marker is the file that makes its directory a workspace.
const Marker = "ctxledger.yaml"

// userLedger is the name of the user ledger's state directory. Those of workspaces end in a hash, so none
// has this name.
const userLedger = "user"

// Workspace is a directory tree with one ledger.
type Workspace struct {
	Root      string // absolute, without symbolic links; "": there is the user ledger only
	Main      string // the root's path in the repository's main tree, equal for all that share the ledger; "": Root
	Name      string // of the repository or directory, for display; "user" without a Root
	State     string // directory of the ledger, absolute; UserState without a Root
	UserState string // directory of the user ledger, absolute
	Why       string // in words: how the root was found, or why there is none
	// Apart says why the ledger is not that of the repository which the root's .git names; "": it is, or there
	// is none. It quotes a file of the tree.
	Apart string
	// Strange is what the ledger records where it was made for another repository than the one at the root: it must not
	// be used before a person has decided. nil: it was not.
	Strange *Place
}

// Options is what the caller knows about the workspace.
type Options struct {
	Flag  string   // value of --workspace; "": not given
	Roots []string // roots of the client, file URIs or paths, in its order
	// Opened says that Roots are all folders that are open in an editor. Then the working directory and hosts'
	// variables, which belong to the process that started the editor, are ignored.
	Opened bool
}

// Find returns the workspace of a process. Errors: invalid when --workspace or CTXLEDGER_WORKSPACE name
// something that cannot be one, CTXLEDGER_STATE is not absolute, or the path of the state directories is too
// long; unavailable when there is no directory for state.
func Find(e env.Env, o Options) (Workspace, error) {
	base, err := stateBase(e)
	if err != nil {
		return Workspace{}, err
	}
	if err := roomBelow(base); err != nil {
		return Workspace{}, err
	}
	w := Workspace{Name: userLedger, UserState: filepath.Join(base, userLedger)}
	w.State = w.UserState
	r := newRefusals(e)
	root, why, err := findRoot(e, o, r)
	w.Why = why
	if err != nil || root == "" {
		return w, err
	}
	w.Root = root
	id, apart := identify(root, r)
	w.Apart, w.Main = apart, id.main(root)
	w.Name = id.name
	w.State = id.state(base, root, r)
	if p, strange := id.strange(w.State); strange {
		w.Strange = &p
	}
	return w, nil
}
