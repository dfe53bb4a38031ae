package gitobject

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const (
	packs = "objects/pack"
	// maxPacks bounds how many packs are read. Git itself packs again at 50.
	maxPacks = 1024
	// tries is how often packs are listed: git may replace them meanwhile.
	tries = 3
)

// Store is the open object store of a repository. It is for one goroutine.
type Store struct {
	tree  *safefs.Tree
	bytes int // of an object's name: 20, or 32 with SHA-256
	packs []*pack
	z     inflater
}

// Open opens the object store of a git directory, that of the main tree. Errors: those of safefs.Open.
func Open(common string) (*Store, error) {
	tree, err := safefs.Open(common)
	if err != nil {
		return nil, err
	}
	return &Store{tree: tree}, nil
}

// Close releases the store.
func (s *Store) Close() error {
	s.drop()
	return s.tree.Close()
}

// drop closes the packs.
func (s *Store) drop() {
	for _, p := range s.packs {
		p.close()
	}
	s.packs = nil
}

// Has reports whether the repository has the object with a name in hex digits. Errors: invalid for another name;
// unavailable and others when it cannot be told.
func (s *Store) Has(id string) (bool, error) {
	name, err := s.parse(id)
	if err != nil {
		return false, err
	}
	for range tries {
		if info, err := s.tree.Stat(loose(id)); err != nil || info.Kind == safefs.File {
			return err == nil, err
		}
		err = s.list()
		if err == nil {
			p, _, failed := s.packed(name)
			return p != nil, failed
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return false, err
}

// parse returns the bytes of an object's name.
func (s *Store) parse(id string) ([]byte, error) {
	name, err := hex.DecodeString(id)
	if err != nil || len(name) != 20 && len(name) != 32 || id != strings.ToLower(id) {
		return nil, fault.New(fault.Invalid, "gitobject.name", "%.80q is not a git object name", id)
	}
	s.bytes = len(name)
	return name, nil
}

// loose returns the path of an object that is not packed.
func loose(id string) string { return "objects/" + id[:2] + "/" + id[2:] }

// list opens the indexes of all packs.
func (s *Store) list() error {
	s.drop()
	entries, err := s.tree.ReadDir(packs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || len(s.packs) == maxPacks {
			continue
		}
		p, err := openPack(s.tree, packs+"/"+base, s.bytes)
		if err != nil {
			return err
		}
		s.packs = append(s.packs, p)
	}
	return nil
}

// packed returns the pack with an object, and the object's place there; nil: none has it.
func (s *Store) packed(name []byte) (*pack, int64, error) {
	for _, p := range s.packs {
		at, found, err := p.find(name)
		if err != nil || found {
			return p, at, err
		}
	}
	return nil, 0, nil
}

// pack is one pack. Its index, of version 2, has 8 bytes of header, 256 counts, the sorted names, a checksum of 4 bytes for
// each, an offset of 4 bytes for each, and offsets of 8 bytes for those that are too large.
type pack struct {
	index, data *os.File // data is nil until it is needed
	open        func() (*os.File, fs.FileInfo, error)
	fanout      [257]int64 // how many names begin with less than a byte
	bytes       int64      // of a name
}

const indexHeader = 8 + 256*4

// openPack opens the index of a pack.
func openPack(tree *safefs.Tree, base string, bytes int) (*pack, error) {
	index, _, err := tree.Open(base + ".idx")
	if err != nil {
		return nil, err
	}
	p := &pack{index: index, bytes: int64(bytes),
		open: func() (*os.File, fs.FileInfo, error) { return tree.Open(base + ".pack") }}
	var head [indexHeader]byte
	_, err = index.ReadAt(head[:], 0)
	if err != nil || string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		p.close()
		return nil, damaged("the index of a pack has an unsupported format")
	}
	for i := range 256 {
		n := int64(binary.BigEndian.Uint32(head[8+4*i:]))
		if n < p.fanout[i] {
			p.close()
			return nil, damaged("the index of a pack is not sorted")
		}
		p.fanout[i+1] = n
	}
	return p, nil
}

// damaged is the error of files that are not as git writes them.
func damaged(what string) error { return fault.New(fault.Corrupt, "gitobject.read", "%s", what) }

// close releases the files.
func (p *pack) close() {
	_ = p.index.Close() // only read
	if p.data != nil {
		_ = p.data.Close()
	}
}

// find returns the place of an object in the pack.
func (p *pack) find(name []byte) (at int64, found bool, err error) {
	if int64(len(name)) != p.bytes {
		return 0, false, nil
	}
	low, high := p.fanout[name[0]], p.fanout[int(name[0])+1]
	var have [32]byte
	for low < high {
		middle := (low + high) / 2
		if _, err := p.index.ReadAt(have[:p.bytes], indexHeader+middle*p.bytes); err != nil {
			return 0, false, damaged("the index of a pack is too short")
		}
		switch c := bytes.Compare(name, have[:p.bytes]); {
		case c < 0:
			high = middle
		case c > 0:
			low = middle + 1
		default:
			at, err = p.offset(middle)
			return at, err == nil, err
		}
	}
	return 0, false, nil
}

// offset returns the place of the object with a number.
func (p *pack) offset(n int64) (int64, error) {
	all := p.fanout[256]
	offsets := indexHeader + all*(p.bytes+4)
	var at [8]byte
	if _, err := p.index.ReadAt(at[:4], offsets+4*n); err != nil {
		return 0, damaged("the index of a pack is too short")
	}
	small := binary.BigEndian.Uint32(at[:4])
	if small&(1<<31) == 0 {
		return int64(small), nil
	}
	if _, err := p.index.ReadAt(at[:], offsets+4*all+8*int64(small&^(1<<31))); err != nil {
		return 0, damaged("the index of a pack is too short")
	}
	if large := binary.BigEndian.Uint64(at[:]); large < 1<<62 {
		return int64(large), nil
	}
	return 0, damaged("the index of a pack has an offset beyond any file")
}
