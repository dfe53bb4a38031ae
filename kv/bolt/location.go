package bolt

import (
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

// opMoved marks the error of a ledger that is no longer at its path.
const opMoved = "kv.moved"

// IsMoved reports whether err says that the ledger's files are no longer where they were opened: the state
// directory or a part of it was removed, moved or replaced. The owner must leave.
func IsMoved(err error) bool { return hasOp(err, opMoved) }

// pathIdentity is a name in a state directory with the file that was opened there.
type pathIdentity struct {
	name      string
	was, next fs.FileInfo // next is about to replace was; may be nil
}

// moved reports whether the name no longer refers to either file.
func (p pathIdentity) moved(dir string) bool {
	now, err := os.Lstat(filepath.Join(dir, p.name))
	return err != nil || !os.SameFile(now, p.was) && (p.next == nil || !os.SameFile(now, p.next))
}

// swap sets the second file that may have the name of the ledger while a vacuum replaces the file; nil: none.
func (s *Store) swap(other fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swapped = other
}

// CheckLocation returns an error for which IsMoved is true when the file of the ledger, or the directory of
// its blobs, is no longer the one at its path: data written there would be lost.
func (s *Store) CheckLocation() (err error) {
	for range 3 { // a vacuum may have replaced the file meanwhile
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
			return fault.New(fault.Unavailable, opMoved,
				"%s was removed, moved or replaced while the ledger was open: nothing was stored",
				filepath.Join(s.dir, p.name)).WithHint("try again: that opens the ledger that is there now")
		}
	}
	return nil
}
