package bolt

import (
	"errors"
	"os"
	"slices"
	"sync"

	"ctxledger.dev/kv/internal/blobfile"
)

// blobCacheSize is how many unused blobs stay open: each costs a file descriptor and one unpacked frame.
const blobCacheSize = 8

// blobCache keeps the most recently read blobs open. An artifact is read in parts, one after the other,
// and often from the frame that was unpacked for the previous part.
type blobCache struct {
	mu    sync.Mutex
	open  map[string]*cachedBlob // guarded by mu; by hash
	idle  []*cachedBlob          // guarded by mu; those of open without readers, oldest first
	drops int                    // guarded by mu; how often a blob was dropped, or all were
}

// cachedBlob is one open blob. The cache's lock guards its fields.
type cachedBlob struct {
	*blobfile.Reader
	file    *os.File
	hash    string
	readers int
	dropped bool // not, or no longer, in the cache: the last reader closes it
}

// take returns a cached blob, or the one that open opens. That has no lock: a disk that hangs holds only who reads from it.
func (c *blobCache) take(hash string, open func() (*blobfile.Reader, *os.File, error)) (*blob, error) {
	b, drops := c.reuse(hash)
	if b != nil {
		return b, nil
	}
	r, f, err := open()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	of := &cachedBlob{Reader: r, file: f, hash: hash, readers: 1}
	if of.dropped = c.open[hash] != nil || c.drops != drops; !of.dropped {
		c.open[hash] = of
	}
	return &blob{Reader: r, cache: c, of: of}, nil
}

// reuse returns a cached blob, nil if there is none, and how often blobs were dropped until now.
func (c *blobCache) reuse(hash string) (*blob, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]*cachedBlob{}
	}
	b := c.open[hash]
	if b == nil {
		return nil, c.drops
	}
	if b.readers++; b.readers == 1 {
		c.idle = slices.DeleteFunc(c.idle, func(o *cachedBlob) bool { return o == b })
	}
	return &blob{Reader: b.Reader, cache: c, of: b}, c.drops
}

// put returns a blob to the cache when a reader has finished.
func (c *blobCache) put(b *cachedBlob) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.readers--; b.readers > 0 {
		return nil
	}
	if b.dropped {
		return b.file.Close()
	}
	if c.idle = append(c.idle, b); len(c.idle) <= blobCacheSize {
		return nil
	}
	oldest := c.idle[0]
	c.idle = c.idle[1:]
	delete(c.open, oldest.hash)
	return oldest.file.Close()
}

// drop removes a blob whose file was deleted or replaced. Its readers may finish.
func (c *blobCache) drop(hash string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	b := c.open[hash]
	if b == nil {
		return nil
	}
	delete(c.open, hash)
	b.dropped = true
	if b.readers > 0 {
		return nil
	}
	c.idle = slices.DeleteFunc(c.idle, func(o *cachedBlob) bool { return o == b })
	return b.file.Close()
}

// close closes the idle blobs. A blob may outlive the store; its last reader closes it.
func (c *blobCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	var err error
	for _, b := range c.open {
		b.dropped = true
	}
	for _, b := range c.idle {
		err = errors.Join(err, b.file.Close())
	}
	c.open, c.idle = nil, nil
	return err
}
