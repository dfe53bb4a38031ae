package sessionfile

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// PackedSuffix ends the name of a session file that its agent has compressed: Codex does when nothing was written to one
// for a week.
const PackedSuffix = ".zst"

const (
	// zstdMagic starts every zstd frame.
	zstdMagic = "\x28\xb5\x2f\xfd"
	// maxWindow bounds the memory that unpacking one file takes at each of its places. All levels of zstd up to 19 need no
	// more.
	maxWindow = 8 << 20
	// maxPlaces is how many places of a file are read at the same time: records, the end of a batch, a long line.
	maxPlaces = 3
	// packedBlock is how much is unpacked at a time. As much is kept of what came before.
	packedBlock = 64 << 10
)

// Content is what a session file holds. One goroutine reads it at a time.
type Content interface {
	// ReadAt reads a part of it. Errors: those of the system; invalid for what cannot be unpacked, or is longer than
	// limits.Unpacked.
	io.ReaderAt
	// Size returns how many bytes it has. Those of a compressed file are counted once. Errors: as ReadAt.
	Size() (int64, error)
}

// Unpacked returns what a session file holds: its bytes, or the text that its agent has compressed. Errors: those of reading.
func Unpacked(file *os.File) (Content, error) {
	magic := make([]byte, len(zstdMagic))
	if _, err := file.ReadAt(magic, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if string(magic) != zstdMagic {
		return plain{file}, nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return &packed{file: file, size: info.Size(), long: -1}, nil
}

// plain is a file that is not compressed.
type plain struct{ *os.File }

// Size implements Content.
func (p plain) Size() (int64, error) {
	info, err := p.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Superseded reports whether an entry of a directory, whose entries are sorted by name, is a compressed session file beside
// the one that it was made of: its agent goes on with that one.
func Superseded(entries []fs.DirEntry, name string) bool {
	plain, is := strings.CutSuffix(name, PackedSuffix)
	if !is {
		return false
	}
	_, found := slices.BinarySearchFunc(entries, plain, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	return found
}

// packed is the text of a compressed file. It unpacks from the beginning to where it is read, and goes on from there.
type packed struct {
	file   *os.File
	size   int64        // of the compressed text
	long   int64        // of the text; -1: not known yet
	places []*unpacking // the longest unused first
}

// unpacking is how far a file was unpacked, with the newest text.
type unpacking struct {
	from     int64  // offset of the text
	text     []byte // at most two blocks
	unpacker io.Reader
}

func (u *unpacking) end() int64 { return u.from + int64(len(u.text)) }

// ReadAt implements Content.
func (p *packed) ReadAt(b []byte, off int64) (n int, err error) {
	at := p.near(off)
	for n < len(b) {
		if skip := off + int64(n) - at.from; skip < int64(len(at.text)) {
			n += copy(b[n:], at.text[skip:])
		} else if err := p.more(at); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Size implements Content.
func (p *packed) Size() (int64, error) {
	for all := new(unpacking); p.long < 0; {
		switch err := p.more(all); err {
		case nil:
		case io.EOF:
			p.long = all.end()
		default:
			return 0, err
		}
	}
	return p.long, nil
}

// near returns the place from which the way to an offset is the shortest. If all are behind it, the one that was not used
// for the longest time begins again.
func (p *packed) near(off int64) *unpacking {
	best := -1
	for i, one := range p.places {
		if one.from <= off && (best < 0 || one.from > p.places[best].from) {
			best = i
		}
	}
	at := new(unpacking)
	switch {
	case best >= 0:
		at = p.places[best]
		p.places = slices.Delete(p.places, best, best+1)
	case len(p.places) == maxPlaces:
		p.places = slices.Delete(p.places, 0, 1)
	}
	p.places = append(p.places, at)
	return at
}

// more unpacks more text at a place, and forgets as much of what came before. Errors: io.EOF at the end; invalid.
func (p *packed) more(at *unpacking) error {
	if at.unpacker == nil {
		all, err := zstd.NewReader(io.NewSectionReader(p.file, 0, p.size),
			zstd.WithDecoderConcurrency(1), // without goroutines
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return p.damaged(err)
		}
		at.unpacker, at.text = all, make([]byte, 0, 2*packedBlock)
	}
	if len(at.text) == cap(at.text) {
		at.text = at.text[:copy(at.text, at.text[packedBlock:])]
		at.from += packedBlock
	}
	n, err := at.unpacker.Read(at.text[len(at.text):cap(at.text)])
	at.text = at.text[:len(at.text)+n]
	switch {
	case at.end() > limits.Unpacked:
		return fault.New(fault.Invalid, "sessionfile.unpack", "%s is larger than %d bytes when unpacked",
			p.file.Name(), limits.Unpacked).WithHint("unpack it with `zstd -d`, and import the result")
	case n > 0 || err == nil:
		return nil
	case err == io.EOF:
		return io.EOF
	}
	return p.damaged(err)
}

func (p *packed) damaged(err error) error {
	return fault.New(fault.Invalid, "sessionfile.unpack", "%s cannot be unpacked: %v", p.file.Name(), err)
}
