package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// opMoved marks the error of a ledger that is not at its path any more.
const opMoved = "kv.moved"

// IsMoved reports whether err says that the ledger's files are no longer where they were opened: somebody
// removed, moved or replaced the state directory or a part of it. The owner cannot go on.
func IsMoved(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Op == opMoved
}

// pathIdentity is a name in a state directory with what was opened there, or is about to take its place.
type pathIdentity struct {
	name      string
	was, next fs.FileInfo // next may be nil
}

// moved reports whether the name leads elsewhere or nowhere by now.
func (p pathIdentity) moved(dir string) bool {
	now, err := os.Lstat(filepath.Join(dir, p.name))
	return err != nil || !os.SameFile(now, p.was) && (p.next == nil || !os.SameFile(now, p.next))
}

// swap notes the other file that may have the name of the ledger while a vacuum swaps two; nil: none.
func (s *Store) swap(other fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swapped = other
}

// CheckLocation returns an error of which IsMoved is true when the files of the ledger, or of its blobs, are no
// longer those at their paths: what is written to them would be lost to everybody else.
func (s *Store) CheckLocation() (err error) {
	for range 3 { // a vacuum may have swapped the file while we looked
		if err = s.checkLocation(); err == nil {
			return nil
		}
	}
	return err
}

func (s *Store) checkLocation() error {
	s.mu.Lock()
	records, other := s.file.info, s.swapped
	s.mu.Unlock()
	for _, p := range []pathIdentity{{ledgerName, records, other}, {blobsName, s.blobs.info, nil}} {
		if p.moved(s.dir) {
			e := fault.New(fault.Unavailable, opMoved, "%s was removed, moved or replaced while the ledger was open: nothing was stored", filepath.Join(s.dir, p.name))
			return e.WithHint("ask again: the ledger that is there now is opened then")
		}
	}
	return nil
}
