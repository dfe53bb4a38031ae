package bolt

import (
	"errors"
	"os"
	"slices"
	"sync"

	"ctxledger.dev/kv/internal/blobfile"
)

// blobCacheSize is how many blobs stay open that nobody reads: a file descriptor and one unpacked frame
// each.
const blobCacheSize = 8

// shelf keeps the blobs that were read last open. An artifact is read in parts, one after the other,
// and mostly each from the frame that was unpacked for the last one.
type blobCache struct {
	mu   sync.Mutex
	open map[string]*cachedBlob // guarded by mu; by hash, those that may be taken again
	idle []*cachedBlob          // guarded by mu; those of open that nobody reads, oldest first
}

// cachedBlob is one open blob. Its fields are guarded by the shelf's lock.
type cachedBlob struct {
	*blobfile.Reader
	file    *os.File
	hash    string
	readers int
	dropped bool // not to be taken again
}

// take returns a blob that is open already, or the one that open opens.
func (c *blobCache) take(hash string, open func() (*blobfile.Reader, *os.File, error)) (*blob, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.open[hash]
	if b == nil {
		r, f, err := open()
		if err != nil {
			return nil, err
		}
		b = &cachedBlob{Reader: r, file: f, hash: hash}
		if c.open == nil {
			c.open = map[string]*cachedBlob{}
		}
		c.open[hash] = b
	}
	if b.readers++; b.readers == 1 {
		c.idle = slices.DeleteFunc(c.idle, func(o *cachedBlob) bool { return o == b })
	}
	return &blob{Reader: b.Reader, cache: c, of: b}, nil
}

// put takes a blob back from a reader.
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

// drop forgets a blob whose file was deleted or replaced. Who reads it may finish.
func (c *blobCache) drop(hash string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
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

// close closes what nobody reads. A blob may outlive the store; it is closed by its last reader.
func (c *blobCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
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
