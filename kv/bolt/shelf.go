package bolt

import (
	"errors"
	"os"
	"slices"
	"sync"

	"ctxledger.dev/kv/internal/blobfile"
)

// shelfSize is how many blobs stay open that nobody reads: a file descriptor and one unpacked frame
// each.
const shelfSize = 8

// shelf keeps the blobs that were read last open. An artifact is read in parts, one after the other,
// and mostly each from the frame that was unpacked for the last one.
type shelf struct {
	mu   sync.Mutex
	open map[string]*shelved // guarded by mu; by hash, those that may be taken again
	idle []*shelved          // guarded by mu; those of open that nobody reads, oldest first
}

// shelved is one open blob. Its fields are guarded by the shelf's lock.
type shelved struct {
	*blobfile.Reader
	file    *os.File
	hash    string
	readers int
	dropped bool // not to be taken again
}

// take returns a blob that is open already, or the one that open opens.
func (s *shelf) take(hash string, open func() (*blobfile.Reader, *os.File, error)) (*blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.open[hash]
	if b == nil {
		r, f, err := open()
		if err != nil {
			return nil, err
		}
		b = &shelved{Reader: r, file: f, hash: hash}
		if s.open == nil {
			s.open = map[string]*shelved{}
		}
		s.open[hash] = b
	}
	if b.readers++; b.readers == 1 {
		s.idle = slices.DeleteFunc(s.idle, func(o *shelved) bool { return o == b })
	}
	return &blob{Reader: b.Reader, shelf: s, of: b}, nil
}

// put takes a blob back from a reader.
func (s *shelf) put(b *shelved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.readers--; b.readers > 0 {
		return nil
	}
	if b.dropped {
		return b.file.Close()
	}
	if s.idle = append(s.idle, b); len(s.idle) <= shelfSize {
		return nil
	}
	oldest := s.idle[0]
	s.idle = s.idle[1:]
	delete(s.open, oldest.hash)
	return oldest.file.Close()
}

// drop forgets a blob whose file was deleted or replaced. Who reads it may finish.
func (s *shelf) drop(hash string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.open[hash]
	if b == nil {
		return nil
	}
	delete(s.open, hash)
	b.dropped = true
	if b.readers > 0 {
		return nil
	}
	s.idle = slices.DeleteFunc(s.idle, func(o *shelved) bool { return o == b })
	return b.file.Close()
}

// close closes what nobody reads. A blob may outlive the store; it is closed by its last reader.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, b := range s.open {
		b.dropped = true
	}
	for _, b := range s.idle {
		err = errors.Join(err, b.file.Close())
	}
	s.open, s.idle = nil, nil
	return err
}
