package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/gitobject"
)

// maxLedgers bounds how many state directories are looked at.
const maxLedgers = 10_000

// aside is between the name of a state directory and the time, in the name of a ledger that was set aside.
const aside = ".aside-"

// Aside returns the name for a ledger that is set aside: another one is to be used for its directory.
func Aside(state string, at time.Time) string {
	return state + aside + at.UTC().Format("20060102-150405.000")
}

// Why no directory uses a ledger.
const (
	Gone     = "its directory is gone"
	Replaced = "its repository is gone"
	Apart    = "set aside"
)

// Ledger is a ledger of this machine.
type Ledger struct {
	Name  string `json:"name"` // of its state directory
	State string `json:"state_dir"`
	Place
	Left string `json:"left,omitempty"` // Gone, Replaced or Apart; "": a directory uses it, or that is not known
	// Same is what one whose directory is gone, or is not its repository any more, shares with the workspace that was asked
	// about: it may be the same project.
	Same string `json:"same,omitempty"`
}

// Ledgers returns the ledgers of all directories: those that may be of w's project first, then those that no directory uses,
// then by the time of their last use. Errors: those of reading the directory with all ledgers.
func Ledgers(e env.Env, w Workspace) ([]Ledger, error) {
	base := filepath.Dir(w.UserState)
	entries, err := os.ReadDir(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	here := newLikeness(e, w)
	defer here.close()
	list := []Ledger{}
	for _, entry := range entries[:min(len(entries), maxLedgers)] {
		l := Ledger{Name: entry.Name(), State: filepath.Join(base, entry.Name())}
		if !entry.IsDir() || l.Name == userLedger || strings.Contains(l.Name, ".damaged-") || !HoldsLedger(l.State) {
			continue
		}
		l.Place = ReadPlace(l.State)
		apart := strings.Contains(l.Name, aside)
		switch gone := l.gone(); {
		case gone && apart: // a person wanted that: nothing suggests the contrary
		case gone:
			l.Left, l.Same = Gone, here.shared(l.Place)
		case l.State != w.State && here.shared(l.Place) == sameCommit && l.replaced(e):
			l.Left, l.Same = Replaced, sameCommit
		}
		if apart {
			l.Left = Apart
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b Ledger) int {
		return cmp.Or(-cmp.Compare(a.Same, b.Same), -cmp.Compare(a.Left, b.Left), b.Used.Compare(a.Used))
	})
	return list, nil
}

// replaced reports whether another repository, or none, is at the root of a ledger that was made for one.
func (l Ledger) replaced(e env.Env) bool {
	id, _ := identify(l.Root, newRefusals(e))
	_, strange := id.strange(l.State)
	return l.Root != "" && (strange || id.common == "")
}

// sameCommit is what a ledger has in common with a workspace in whose repository its own began.
const sameCommit = "root commit"

// likeness tells what ledgers share with a workspace.
type likeness struct {
	remote string
	store  *gitobject.Store // nil: there is no repository
}

// newLikeness returns the likeness to a workspace.
func newLikeness(e env.Env, w Workspace) (l likeness) {
	if w.Root == "" {
		return l
	}
	if id, _ := identify(w.Root, newRefusals(e)); id.common != "" {
		l.remote = remoteOf(id.common)
		l.store, _ = gitobject.Open(id.common) // nil after an error
	}
	return l
}

// close releases the repository.
func (l likeness) close() {
	if l.store != nil {
		_ = l.store.Close() // only read
	}
}

// shared says what a place has in common with the workspace; "": nothing. Clones share both, too.
func (l likeness) shared(p Place) string {
	if l.store != nil && p.Commit != "" {
		if has, err := l.store.Has(p.Commit); err == nil && has {
			return sameCommit
		}
	}
	if l.remote != "" && l.remote == p.Remote {
		return "remote"
	}
	return ""
}
