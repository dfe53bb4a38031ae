package bolt

import (
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// ledgerFile is one file of records, open and locked. A vacuum puts another one in its place
// while views still read this one; it is closed when the last of them ends. Until then its
// blocks stay on disk, without a name.
type ledgerFile struct {
	db   *bbolt.DB
	file *os.File    // of db, which closes it
	info fs.FileInfo // which file it is

	readers int           // that use it; guarded by Store.mu
	retired chan struct{} // not nil once another file took its place, closed with this one; guarded by Store.mu
}

// current returns the file that the writer writes to. Only the writer may call it: for everyone
// else the file could be closed at any time.
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

// install makes next the file for all that begins from now on and retires the one before it,
// which is closed as soon as nobody reads it. It does nothing when next itself has been retired
// and closed since.
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

// close closes a retired file. Nothing of it is unwritten: the writer has left it.
func (l *ledgerFile) close() {
	_ = l.db.Close() // its records stand in the file that took its place
	close(l.retired)
}
