package link

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

func FuzzFramesRoundTrip(f *testing.F) {
	f.Add([]byte("{}"), []byte(""))
	f.Add([]byte{0, 0, 0, 1}, bytes.Repeat([]byte("x"), 70_000))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var stream bytes.Buffer
		for _, body := range [][]byte{a, b} {
			frame, err := newFrame(body)
			if err != nil {
				t.Fatal(err)
			}
			stream.Write(frame)
		}
		r := iotest.OneByteReader(&stream)
		for _, body := range [][]byte{a, b} {
			got, err := ReadFrame(r, limits.Frame)
			if err != nil || !bytes.Equal(got, body) {
				t.Fatalf("%d bytes came back as %d: %v", len(body), len(got), err)
			}
		}
		if _, err := ReadFrame(r, limits.Frame); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

func FuzzReadFrameTakesWhatItIsGivenOrRefuses(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0, 0, 0, 2, 'x'})
	f.Fuzz(func(t *testing.T, stream []byte) {
		body, err := ReadFrame(bytes.NewReader(stream), 1000)
		if err != nil {
			if body != nil {
				t.Fatal("bytes returned with an error")
			}
			return
		}
		frame, err := newFrame(body)
		if err != nil || !bytes.HasPrefix(stream, frame) {
			t.Fatalf("read %q from %q", body, stream)
		}
	})
}

func TestHostileLengthsAreRefusedBeforeAllocation(t *testing.T) {
	for _, n := range []uint32{limits.Frame + 1, 1 << 30, 1 << 31, 1<<32 - 1} {
		header := binary.BigEndian.AppendUint32(nil, n)
		allocated := testing.AllocsPerRun(10, func() {
			_, err := ReadFrame(bytes.NewReader(header), limits.Frame)
			if !fault.Is(err, fault.TooLarge) {
				t.Errorf("length %d: %v", n, err)
			}
		})
		if allocated > 20 {
			t.Errorf("length %d: %.0f allocations", n, allocated)
		}
	}
}

func TestFramesEndWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream string
		want   error
	}{
		{"nothing", "", io.EOF},
		{"half a length", "\x00\x00", io.ErrUnexpectedEOF},
		{"no body", "\x00\x00\x00\x05", io.ErrUnexpectedEOF},
		{"half a body", "\x00\x00\x00\x05ab", io.ErrUnexpectedEOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ReadFrame(bytes.NewReader([]byte(c.stream)), 100); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	if _, err := newFrame(make([]byte, limits.Frame+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a frame above the limit: %v", err)
	}
}

func FuzzStreamsRoundTrip(f *testing.F) {
	f.Add([]byte("hello"), uint16(3))
	f.Add(bytes.Repeat([]byte("0123456789abcdef"), 40_000), uint16(8))
	f.Fuzz(func(t *testing.T, content []byte, tail uint16) {
		var stream bytes.Buffer
		err := SendStream(&stream, iotest.HalfReader(bytes.NewReader(content)), func() bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		whole := bytes.Clone(stream.Bytes())
		stream.WriteString("after")
		got, err := io.ReadAll(NewStreamReader(&stream))
		if err != nil || !bytes.Equal(got, content) || stream.String() != "after" {
			t.Fatalf("%d bytes came back as %d, %q left: %v", len(content), len(got), stream.String(), err)
		}
		short := whole[:len(whole)-1-int(tail)%len(whole)]
		if _, err := io.ReadAll(NewStreamReader(bytes.NewReader(short))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("a stream without its end: %v", err)
		}
	})
}
