package powercut

import (
	"bytes"
	"maps"
	"os"
	"slices"
)

const (
	sector = 512  // what a disk writes whole
	block  = 4096 // unit of sharing between the versions of a file
)

// content is what a file holds: whole blocks, where a missing one is zeroes. A block is never
// changed once a copy of the content may share it.
type content struct {
	size   int64
	blocks map[int64][]byte
}

// clone returns a copy that can be changed by itself.
func (c content) clone() content { return content{c.size, maps.Clone(c.blocks)} }

// write puts data at an offset.
func (c *content) write(off int64, data []byte) {
	if len(data) == 0 {
		return
	}
	c.size = max(c.size, off+int64(len(data)))
	if c.blocks == nil {
		c.blocks = map[int64][]byte{}
	}
	for len(data) > 0 {
		at, within := off/block, off%block
		b := make([]byte, block)
		copy(b, c.blocks[at])
		n := copy(b[within:], data)
		c.blocks[at] = b
		off, data = off+int64(n), data[n:]
	}
}

// truncate sets the size; what was beyond it is gone.
func (c *content) truncate(size int64) {
	if size < c.size {
		for at, b := range c.blocks {
			if start := at * block; start >= size {
				delete(c.blocks, at)
			} else if start+block > size {
				c.blocks[at] = append(bytes.Clone(b[:size-start]), make([]byte, start+block-size)...)
			}
		}
	}
	c.size = size
}

// save writes the content into a new file, leaving holes where nothing was written.
func (c content) save(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // an image needs no more care
	if err := f.Truncate(c.size); err != nil {
		return err
	}
	for _, at := range slices.Sorted(maps.Keys(c.blocks)) {
		b := c.blocks[at]
		b = b[:min(int64(len(b)), max(0, c.size-at*block))]
		if _, err := f.WriteAt(b, at*block); err != nil {
			return err
		}
	}
	return nil
}

// equals reports whether the content is exactly want.
func (c content) equals(want []byte) bool {
	if c.size != int64(len(want)) {
		return false
	}
	zeroes := make([]byte, block)
	for at := int64(0); at*block < c.size; at++ {
		b, ok := c.blocks[at]
		if !ok {
			b = zeroes
		}
		w := want[at*block : min(c.size, (at+1)*block)]
		if !bytes.Equal(b[:len(w)], w) {
			return false
		}
	}
	return true
}
