package blobfile

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"ctxledger.dev/internal/fault"
)

// FrameSize is the number of content bytes in every frame but the last, and the hard limit of
// what one frame may unpack to.
const FrameSize = 64 << 10

const (
	frameHeader = 12      // stored length and flag, length, checksum
	rawFlag     = 1 << 31 // in the stored length: the frame is not compressed
)

// Codec compresses and unpacks frames. It is safe for concurrent use and needs no closing.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// NewCodec returns a codec. It allocates its working memory with the first frame.
func NewCodec() (*Codec, error) {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(2), // frames packed at the same time; each costs working memory
		zstd.WithWindowSize(FrameSize),
		zstd.WithEncoderCRC(true)) // the content's own checksum: catches a defect of the codec
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "kv.blob", err)
	}
	dec, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(2),
		zstd.WithDecoderMaxMemory(FrameSize),
		zstd.WithDecodeAllCapLimit(true)) // never beyond the capacity that we hand it
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "kv.blob", err)
	}
	return &Codec{enc: enc, dec: dec}, nil
}

// pack appends frame number n with its header to dst[:0].
func (c *Codec) pack(dst []byte, n int, content []byte) []byte {
	var header [frameHeader]byte
	dst = c.enc.EncodeAll(content, append(dst[:0], header[:]...))
	stored := uint32(len(dst) - frameHeader)
	if int(stored) >= len(content) {
		dst = append(dst[:frameHeader], content...)
		stored = uint32(len(content)) | rawFlag
	}
	binary.BigEndian.PutUint32(dst[0:], stored)
	binary.BigEndian.PutUint32(dst[4:], uint32(len(content)))
	binary.BigEndian.PutUint32(dst[8:], frameSum(n, dst))
	return dst
}

// unpack returns the size bytes of content of frame number n. It reuses dst's memory, whose
// capacity must be at least size; packed is the frame with its header.
func (c *Codec) unpack(dst []byte, n int, packed []byte, size int) ([]byte, error) {
	if len(packed) < frameHeader || binary.BigEndian.Uint32(packed[8:]) != frameSum(n, packed) {
		return nil, corrupt("frame %d has an incorrect checksum", n)
	}
	stored, body := binary.BigEndian.Uint32(packed[0:]), packed[frameHeader:]
	if int64(stored&^rawFlag) != int64(len(body)) || int64(binary.BigEndian.Uint32(packed[4:])) != int64(size) {
		return nil, corrupt("frame %d has the wrong length", n)
	}
	if stored&rawFlag != 0 {
		dst = append(dst[:0], body...)
	} else {
		var err error
		if dst, err = c.dec.DecodeAll(body, dst[:0:size]); err != nil {
			return nil, corrupt("frame %d cannot be unpacked: %v", n, err)
		}
	}
	if len(dst) != size {
		return nil, corrupt("frame %d unpacks to %d bytes instead of %d", n, len(dst), size)
	}
	return dst, nil
}

// frameSum is the checksum of a packed frame. It covers the frame's number, so that frames
// which changed places are noticed, and both lengths.
func frameSum(n int, packed []byte) uint32 {
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(n))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(0, table, number[:])
	sum = crc32.Update(sum, table, packed[:8])
	return crc32.Update(sum, table, packed[frameHeader:])
}

func corrupt(format string, args ...any) error {
	return fault.New(fault.Corrupt, "kv.blob", "blob "+format, args...)
}
