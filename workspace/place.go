package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/gitobject"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
)

const (
	// PlaceName is the file of a state directory that says which directory its ledger is of.
	PlaceName = "place.json"
	// placeSize bounds it, in bytes: maxFormer paths fit.
	placeSize = 128 << 10
	// maxFormer is how many former roots a ledger keeps.
	maxFormer = 16
)

// Place is what a ledger records of the directory that it is of, for the day on which another directory is found there, or
// none. The zero value is that of a ledger that only older versions have used.
type Place struct {
	Root   string   `json:"root,omitempty"`   // the root's path in the main tree
	Former []string `json:"former,omitempty"` // roots that it had before it was taken over, the oldest first
	// Commit is the commit with which the history of the repository began, Remote where it comes from, as host and path.
	// "": there is none, or it is not known.
	Commit string `json:"root_commit,omitempty"`
	Remote string `json:"remote,omitempty"`
	// What the ledger held when it was last used.
	Sessions int       `json:"sessions"`
	Memories int       `json:"memories"`
	Bytes    int64     `json:"bytes"`
	Used     time.Time `json:"used,omitzero"`
}

// ReadPlace returns what the ledger in a state directory records; the zero value if it records nothing.
func ReadPlace(state string) (p Place) {
	raw, err := safefs.ReadFile(filepath.Join(state, PlaceName), placeSize)
	if err != nil || json.Unmarshal(raw, &p) != nil {
		return Place{}
	}
	return p
}

// Write records a place in a state directory. Errors: unavailable.
func (p Place) Write(state string) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return fault.Wrap(fault.Internal, "workspace.place", err)
	}
	return privatefile.Write(filepath.Join(state, PlaceName), append(raw, '\n'))
}

// At returns the place with what is to be recorded of the directory at a root, and of its repository. A commit that is known
// stays: whether the repository has it is what tells it from another one. It may read the whole history.
func (p Place) At(ctx context.Context, e env.Env, root string) Place {
	if p.gone() {
		p = p.Moved(root)
	}
	p.Root = root
	id, _ := identify(root, newRefusals(e))
	if id.common == "" {
		return p
	}
	p.Remote = remoteOf(id.common)
	if store, err := gitobject.Open(id.common); err == nil && p.Commit == "" {
		p.Commit, _ = store.Root(ctx) // of a repository that cannot be read none is known
		_ = store.Close()             // only read
	}
	return p
}

// Moved returns the place of a ledger that is taken over for another root.
func (p Place) Moved(root string) Place {
	if p.Root != "" && p.Root != root {
		p.Former = append(p.Former, p.Root)
		p.Former = p.Former[max(0, len(p.Former)-maxFormer):]
	}
	p.Root = root
	return p
}

// gone reports whether the directory that is recorded does not exist any more. A link in its path is as good as that: roots
// have none, so that no process has this root now.
func (p Place) gone() bool {
	if p.Root == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(p.Root)
	return errors.Is(err, fs.ErrNotExist) || err == nil && fold(real) != fold(p.Root)
}

// Check refuses the ledger in a state directory for a root at which another repository was found than the one that it was
// made for. Errors: denied, with what decides it.
func Check(e env.Env, state, root string) error {
	id, _ := identify(root, newRefusals(e))
	if p, strange := id.strange(state); strange {
		return undecided(root, state, p)
	}
	return nil
}

// Undecided refuses the ledger of w where Strange is set. Errors: denied, with what decides it.
func (w Workspace) Undecided() error {
	if w.Strange == nil {
		return nil
	}
	return undecided(w.Root, w.State, *w.Strange)
}

// undecided is the error of a ledger that was made for another repository.
func undecided(root, state string, p Place) error {
	return fault.New(fault.Denied, "workspace.place", "%s is not the repository that its ledger was made for: it has no commit "+
		"%.12s, so nothing is read from that ledger and nothing recorded", root, p.Commit).
		WithHint("run one of these in a terminal there: `ctxledger ledger adopt %s` keeps the ledger, `ctxledger ledger adopt --new` sets it aside "+
			"and begins a new one", filepath.Base(state))
}

// strange reports whether the ledger in a state directory was made for another repository than that of i: one without the
// commit with which that one began. A directory without a repository, and one that cannot be read, is not strange.
func (i identity) strange(state string) (Place, bool) {
	if i.common == "" {
		return Place{}, false
	}
	p := ReadPlace(state)
	if p.Commit == "" {
		return p, false
	}
	store, err := gitobject.Open(i.common)
	if err != nil {
		return p, false
	}
	defer store.Close() // only read
	has, err := store.Has(p.Commit)
	return p, err == nil && !has
}

// remoteOf returns where a repository comes from.
func remoteOf(common string) string {
	tree, err := safefs.Open(common)
	if err != nil {
		return ""
	}
	defer tree.Close() // only read
	address, _ := gitSetting(string(tree.Read("config", configSize)), `remote "origin"`, "url")
	return remote(address)
}

// remote reduces the address of a repository to host and path: the same for all protocols and users, without what a person
// must not see. "": it names no other machine.
func remote(address string) string {
	host, path, scp := strings.Cut(address, ":")
	switch u, err := url.Parse(address); {
	case err == nil && u.Host != "":
		host, path = u.Hostname(), u.Path
	case !scp || strings.HasPrefix(path, "//") || strings.ContainsAny(host, `/\`) || len(host) < 2: // C: is a drive
		return ""
	}
	host = host[strings.LastIndex(host, "@")+1:]
	path = strings.TrimSuffix(strings.Trim(path, "/"), gitName)
	return strings.ToLower(host) + "/" + path
}
