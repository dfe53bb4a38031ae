package install

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/privatefile"
	"ctxledger.dev/internal/safefs"
)

// leftover is a temporary file that a killed process left. It may hold keys.
type leftover struct {
	base string // the directory below which it is removed
	rel  string
}

// abandoned returns what killed processes left next to a configuration, and of all receipts.
func (m Machine) abandoned(at present) (out []leftover) {
	for _, next := range []struct{ base, rel, of string }{
		{at.base, filepath.Dir(at.rel()), filepath.Base(at.real)},
		{m.State, receipts, ""},
	} {
		for _, e := range listed(next.base, next.rel) {
			if privatefile.Abandoned(e, next.of, m.Now()) {
				out = append(out, leftover{next.base, filepath.Join(next.rel, e.Name())})
			}
		}
	}
	return out
}

// listed returns what is in a directory; nothing if it cannot be read.
func listed(base, rel string) []fs.DirEntry {
	root, err := safefs.OpenRoot(base)
	if err != nil {
		return nil
	}
	defer root.Close() // only read
	dir, err := safefs.OpenDirIn(root, rel)
	if err != nil {
		return nil
	}
	defer dir.Close()         // only read
	all, _ := dir.ReadDir(-1) // what there is of it
	return all
}

// remove removes the file. Somebody else may have done so.
func (l leftover) remove() error {
	root, err := safefs.OpenRoot(l.base)
	if err == nil {
		defer root.Close() // a removal needs no sync
		err = root.Remove(l.rel)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, opWrite, err)
}
