package bolt

import (
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// ledgerFile is an open and locked file of records. A vacuum replaces it while views may still read it; it
// is closed when the last of them ends. Until then its blocks stay on disk, without a name.
type ledgerFile struct {
	db   *bbolt.DB
	file *os.File    // of db, which closes it
	info fs.FileInfo // which file it is

	readers int           // that use it; guarded by Store.mu
	retired chan struct{} // not nil once this file was replaced, closed with it; guarded by Store.mu
}

// current returns the file that the writer writes to. Only the writer may call it: for other goroutines
// the file could be closed at any time.
func (s *Store) current() *ledgerFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

// acquire returns the file to read from, which stays open until release.
func (s *Store) acquire() *ledgerFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.readers++
	return s.file
}

// release ends a use of l.
func (s *Store) release(l *ledgerFile) {
	s.mu.Lock()
	l.readers--
	last := l.readers == 0 && l.retired != nil
	s.mu.Unlock()
	if last {
		l.close()
	}
}

// install makes next the current file and retires the previous one, which is closed when its last reader
// ends. It does nothing if next itself has been retired and closed.
func (s *Store) install(next *ledgerFile) (old *ledgerFile, ok bool) {
	s.mu.Lock()
	if next.retired != nil && next.readers == 0 {
		s.mu.Unlock()
		return nil, false
	}
	old, s.file = s.file, next
	next.retired, old.retired = nil, make(chan struct{})
	idle := old.readers == 0
	s.mu.Unlock()
	if idle {
		old.close()
	}
	return old, true
}

// close closes a retired file, which the writer no longer uses.
func (l *ledgerFile) close() {
	_ = l.db.Close() // its records are in the file that replaced it
	close(l.retired)
}
