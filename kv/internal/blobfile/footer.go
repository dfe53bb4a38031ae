package blobfile

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

const (
	version      = 1
	headerMagic  = "ctxblob"
	trailerMagic = "ctxbend"
	headerSize   = len(headerMagic) + 1
	entrySize    = 20
	trailerSize  = 64
	maxFrames    = 1 << 20 // 64 GiB of content; the index of that takes 20 MiB
)

// frame is one entry of the index.
type frame struct {
	offset   int64 // of the frame's header in the file
	newlines int64 // in all frames before it
	size     int   // of its content
}

// footer is the content of the index and the trailer.
type footer struct {
	ref    kv.BlobRef
	frames []frame
	end    int64 // offset of the index, which is the end of the last frame
}

// encode returns the bytes of index and trailer.
func (f footer) encode() []byte {
	b := make([]byte, 0, len(f.frames)*entrySize+trailerSize)
	for _, fr := range f.frames {
		b = binary.BigEndian.AppendUint64(b, uint64(fr.offset))
		b = binary.BigEndian.AppendUint64(b, uint64(fr.newlines))
		b = binary.BigEndian.AppendUint32(b, uint32(fr.size))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(f.ref.Size))
	b = binary.BigEndian.AppendUint64(b, uint64(f.ref.Lines))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.frames)))
	sum, _ := hex.DecodeString(f.ref.Hash) // made by hex.EncodeToString
	b = append(b, sum...)
	b = binary.BigEndian.AppendUint32(b, footerSum(b))
	return append(append(b, trailerMagic...), version)
}

// footerSum is the checksum of header, index and the trailer's fields before it.
func footerSum(fields []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, append([]byte(headerMagic), version))
	return crc32.Update(sum, table, fields)
}

// readFooter reads and checks header, index and trailer.
func readFooter(src io.ReaderAt, size int64) (footer, error) {
	if size < int64(headerSize+trailerSize) {
		return footer{}, corrupt("has %d bytes, fewer than an empty blob", size)
	}
	var header [headerSize]byte
	var trailer [trailerSize]byte
	if err := readAt(src, header[:], 0); err != nil {
		return footer{}, err
	}
	if err := readAt(src, trailer[:], size-trailerSize); err != nil {
		return footer{}, err
	}
	if err := checkMagic(header[:], trailer[trailerSize-headerSize:]); err != nil {
		return footer{}, err
	}
	count := int64(binary.BigEndian.Uint32(trailer[16:]))
	end := size - trailerSize - count*entrySize
	if count > maxFrames || end < int64(headerSize) {
		return footer{}, corrupt("has an index of %d frames, more than can fit", count)
	}
	fields := make([]byte, count*entrySize+trailerSize) // less than the file's size
	if err := readAt(src, fields, end); err != nil {
		return footer{}, err
	}
	return decodeFooter(fields, int(count), end)
}

// checkMagic checks magic and version at both ends of a file.
func checkMagic(header, trailer []byte) error {
	if string(header[:len(headerMagic)]) != headerMagic || string(trailer[:len(trailerMagic)]) != trailerMagic {
		return corrupt("has the wrong magic number")
	}
	first, last := header[len(headerMagic)], trailer[len(trailerMagic)]
	switch {
	case first != last || first == 0:
		return corrupt("has a damaged format version")
	case first > version:
		return fault.New(fault.Unavailable, "kv.blob",
			"blob was written by a newer version (format %d, this program reads up to %d)", first, version).
			WithHint("upgrade ctxledger")
	}
	return nil
}

// decodeFooter reads the fields of index and trailer.
func decodeFooter(fields []byte, count int, end int64) (footer, error) {
	trailer := fields[count*entrySize:]
	if binary.BigEndian.Uint32(trailer[52:]) != footerSum(fields[:len(fields)-headerSize-4]) {
		return footer{}, corrupt("has an index with an incorrect checksum")
	}
	f := footer{end: end, frames: make([]frame, count), ref: kv.BlobRef{
		Hash:  hex.EncodeToString(trailer[20:52]),
		Size:  int64(binary.BigEndian.Uint64(trailer[0:])),
		Lines: int64(binary.BigEndian.Uint64(trailer[8:])),
	}}
	for i := range f.frames {
		e := fields[i*entrySize:]
		f.frames[i] = frame{
			offset:   int64(binary.BigEndian.Uint64(e[0:])),
			newlines: int64(binary.BigEndian.Uint64(e[8:])),
			size:     int(binary.BigEndian.Uint32(e[16:])),
		}
	}
	return f, f.check()
}

// check checks that the index is consistent. The checksum was right, so only a forged file or a defect
// fails here; the numbers must not be used before.
func (f footer) check() error {
	next, newlines, total := int64(headerSize), int64(0), int64(0)
	for i, fr := range f.frames {
		last := i == len(f.frames)-1
		end := f.end
		if !last {
			end = f.frames[i+1].offset
		}
		switch {
		case fr.size < 1 || fr.size > FrameSize || (!last && fr.size != FrameSize):
			return corrupt("index gives frame %d a length of %d", i, fr.size)
		case fr.offset != next || end-fr.offset <= frameHeader || end-fr.offset > int64(frameHeader+fr.size):
			return corrupt("index gives frame %d the wrong position", i)
		case fr.newlines < newlines || fr.newlines > total:
			return corrupt("index gives frame %d the wrong line", i)
		}
		next, newlines, total = end, fr.newlines, total+int64(fr.size)
	}
	if next != f.end || f.ref.Size != total || f.ref.Lines < newlines || f.ref.Lines > total {
		return corrupt("index and size do not agree")
	}
	return nil
}

// readAt fills p from src at off.
func readAt(src io.ReaderAt, p []byte, off int64) error {
	n, err := src.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF:
		return corrupt("is cut off at byte %d", off+int64(n))
	default:
		return fault.Wrap(fault.Unavailable, "kv.blob", err)
	}
}
