package blobfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

func newCodec(t testing.TB) *Codec {
	t.Helper()
	c, err := NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pack returns the file of some content.
func pack(t testing.TB, c *Codec, content []byte) ([]byte, kv.BlobRef) {
	t.Helper()
	var file bytes.Buffer
	ref, err := c.Write(&file, bytes.NewReader(content), math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), ref
}

// unpack returns the whole content of a file.
func unpack(c *Codec, file []byte) ([]byte, error) {
	r, err := c.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(r, 0, r.Ref().Size))
}

// FuzzInvariant1RoundTripAndFlip: what was packed comes back; a flipped byte is an error of
// code corrupt, never content.
func FuzzInvariant1RoundTripAndFlip(f *testing.F) {
	f.Add([]byte(nil), uint32(0), byte(1), uint16(0))
	f.Add([]byte("line\nline\n"), uint32(20), byte(1), uint16(1))
	f.Add(bytes.Repeat([]byte("some text, "), 300), uint32(70), byte(0x80), uint16(40))
	c := newCodec(f)
	f.Fuzz(func(t *testing.T, unit []byte, at uint32, flip byte, times uint16) {
		content := bytes.Repeat(unit[:min(len(unit), 2048)], 1+int(times)%100) // a few frames
		file, ref := pack(t, c, content)
		got, err := unpack(c, file)
		if err != nil || !bytes.Equal(got, content) || ref.Size != int64(len(content)) {
			t.Fatalf("round trip of %d bytes: %d bytes, %v", len(content), len(got), err)
		}
		if flip == 0 {
			return
		}
		file[int(at)%len(file)] ^= flip
		if got, err := unpack(c, file); !fault.Is(err, fault.Corrupt) {
			t.Fatalf("byte %d of %d flipped: %d bytes, %v", int(at)%len(file), len(file), len(got), err)
		}
	})
}

// FuzzOpenForgedFile: a file with right checksums and any numbers in it is refused or read,
// without a panic and without more content than its frames can hold.
func FuzzOpenForgedFile(f *testing.F) {
	c := newCodec(f)
	for _, content := range []string{"", "a", "a\nb", strings.Repeat("0123456789", 20_000)} {
		file, _ := pack(f, c, []byte(content))
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		file = resign(bytes.Clone(file))
		r, err := c.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		ref := r.Ref()
		if max := int64(len(file)) / (frameHeader + 1) * FrameSize; ref.Size > max {
			t.Fatalf("%d bytes hold %d", len(file), ref.Size)
		}
		_, _ = io.Copy(io.Discard, io.NewSectionReader(r, 0, ref.Size)) // must end, may fail
		for _, n := range []int64{0, 1, ref.Lines / 2, ref.Lines - 1, ref.Lines} {
			if off, err := r.LineOffset(n); err == nil && (off < 0 || off > ref.Size) {
				t.Fatalf("line %d of %+v starts at %d", n, ref, off)
			}
		}
		_ = r.Verify() // must end, may fail
	})
}

// resign corrects magic numbers and the footer's checksum, if a file is long enough for them.
func resign(file []byte) []byte {
	if len(file) < headerSize+trailerSize {
		return file
	}
	copy(file, append([]byte(headerMagic), version))
	trailer := file[len(file)-trailerSize:]
	copy(trailer[56:], append([]byte(trailerMagic), version))
	if end := len(file) - trailerSize - int(binary.BigEndian.Uint32(trailer[16:]))*entrySize; end >= headerSize {
		binary.BigEndian.PutUint32(trailer[52:], footerSum(file[end:len(file)-headerSize-4]))
	}
	return file
}

// TestForgedIndexIsCorrupt: numbers that do not fit are refused even when the checksum passes.
func TestForgedIndexIsCorrupt(t *testing.T) {
	c := newCodec(t)
	good, _ := pack(t, c, bytes.Repeat([]byte("a line of text\n"), 10_000)) // three frames
	index, trailer := len(good)-trailerSize-3*entrySize, len(good)-trailerSize
	for _, f := range []struct {
		name  string
		at    int // of an 8-byte number, or 4 where narrow is set
		value uint64
	}{
		{"first frame not behind the header", index, 9},
		{"frame offset beyond the file", index + entrySize, 1 << 40},
		{"frame offset negative", index + entrySize, 1 << 63},
		{"frames overlap", index + 2*entrySize, 10},
		{"newlines fall", index + 2*entrySize + 8, 1},
		{"newlines beyond the content", index + 2*entrySize + 8, 1 << 50},
		{"size too large", trailer, 1 << 50},
		{"size negative", trailer, 1<<64 - 1},
		{"fewer lines than newlines", trailer + 8, 5},
		{"more lines than bytes", trailer + 8, 1 << 40},
	} {
		bad := bytes.Clone(good)
		binary.BigEndian.PutUint64(bad[f.at:], f.value)
		if _, err := unpack(c, resign(bad)); !fault.Is(err, fault.Corrupt) {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	for _, count := range []uint32{0, 1, 2, 4, maxFrames, maxFrames + 1, math.MaxUint32} {
		bad := bytes.Clone(good)
		binary.BigEndian.PutUint32(bad[trailer+16:], count)
		if _, err := unpack(c, resign(bad)); !fault.Is(err, fault.Corrupt) {
			t.Errorf("%d frames: %v", count, err)
		}
	}
}

// TestFramesThatChangePlacesAreCorrupt: both frames are sound, but not where they belong.
func TestFramesThatChangePlacesAreCorrupt(t *testing.T) {
	c := newCodec(t)
	content := append(bytes.Repeat([]byte{'a'}, FrameSize), bytes.Repeat([]byte{'b'}, FrameSize)...)
	file, _ := pack(t, c, content)
	index := len(file) - trailerSize - 2*entrySize
	second := int(binary.BigEndian.Uint64(file[index+entrySize:]))
	if second-headerSize != index-second {
		t.Fatalf("frames of %d and %d bytes", second-headerSize, index-second)
	}
	bad := bytes.Clone(file)
	copy(bad[headerSize:], file[second:index])
	copy(bad[second:], file[headerSize:second])
	if _, err := unpack(c, bad); !fault.Is(err, fault.Corrupt) {
		t.Error(err)
	}
}

// TestBombIsRefused: a frame that would unpack to more than a frame is an error, with the
// frame's checksum right.
func TestBombIsRefused(t *testing.T) {
	c := newCodec(t)
	bomb := c.enc.EncodeAll(make([]byte, 64<<20), make([]byte, frameHeader))
	binary.BigEndian.PutUint32(bomb[0:], uint32(len(bomb)-frameHeader))
	binary.BigEndian.PutUint32(bomb[4:], FrameSize)
	binary.BigEndian.PutUint32(bomb[8:], frameSum(0, bomb))
	got, err := c.unpack(make([]byte, FrameSize), 0, bomb, FrameSize)
	if !fault.Is(err, fault.Corrupt) || got != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestNewerFormatSaysSo(t *testing.T) {
	c := newCodec(t)
	file, _ := pack(t, c, []byte("content"))
	file[len(headerMagic)], file[len(file)-1] = version+1, version+1
	_, err := unpack(c, file)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "newer version") {
		t.Error(err)
	}
}

func TestVerifyFindsWrongContentUnderRightChecksums(t *testing.T) {
	c := newCodec(t)
	file, _ := pack(t, c, []byte("content"))
	file[len(file)-trailerSize+20] ^= 1 // the first byte of the name
	r, err := c.Open(bytes.NewReader(resign(file)), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(); !fault.Is(err, fault.Corrupt) {
		t.Error(err)
	}
}

func TestFrameThatDoesNotShrinkIsStoredRaw(t *testing.T) {
	c := newCodec(t)
	file, _ := pack(t, c, []byte("abc"))
	if want := headerSize + frameHeader + 3 + entrySize + trailerSize; len(file) != want {
		t.Errorf("3 bytes take %d, want %d", len(file), want)
	}
}
