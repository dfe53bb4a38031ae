package bolt

import (
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/internal/fault"
)

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

// CheckLocation implements kv.Watched, for the file of the ledger and the directory of its blobs.
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
			return fault.New(fault.Moved, "kv.moved",
				"%s was removed, moved or replaced while the ledger was open: nothing was stored",
				filepath.Join(s.dir, p.name)).WithHint("try again: that opens the ledger that is there now")
		}
	}
	return nil
}
