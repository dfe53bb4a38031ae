package blobfile

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// corpus returns tool-output-like data: this module's Go sources as a tool prints them, and
// the same as session records, one JSON object a line.
func corpus(b *testing.B) map[string][]byte {
	b.Helper()
	var source, records bytes.Buffer
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			fmt.Fprintf(&source, "%6d\t%s\n", i+1, line)
		}
		line, err := json.Marshal(map[string]any{
			"type": "user",
			"uuid": fmt.Sprintf("%08x-0000-4000-8000-%012x", source.Len()*2654435761, records.Len()*40503),
			"message": map[string]any{"role": "user", "content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%016x", records.Len()*11400714819323198),
				"content": string(text)}}}})
		if err != nil {
			return err
		}
		records.Write(append(line, '\n'))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return map[string][]byte{"source": source.Bytes(), "json": records.Bytes()}
}

// BenchmarkCompressor compares what could pack frames; see dependencies, "Compression".
func BenchmarkCompressor(b *testing.B) {
	data := corpus(b)
	for _, kind := range []string{"source", "json"} {
		for _, size := range []int{2 << 10, 16 << 10, 64 << 10} { // a frame at most
			samples := cut(data[kind], size)
			for _, level := range []zstd.EncoderLevel{
				zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression,
			} {
				enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(FrameSize),
					zstd.WithEncoderConcurrency(1))
				if err != nil {
					b.Fatal(err)
				}
				dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
				if err != nil {
					b.Fatal(err)
				}
				compare(b, fmt.Sprintf("%s/%dK/zstd-%s", kind, size>>10, level), samples,
					func(p []byte) []byte { return enc.EncodeAll(p, nil) },
					func(p []byte) ([]byte, error) { return dec.DecodeAll(p, make([]byte, 0, size)) })
			}
			for _, level := range []int{1, 6} {
				w, err := flate.NewWriter(nil, level)
				if err != nil {
					b.Fatal(err)
				}
				compare(b, fmt.Sprintf("%s/%dK/flate-%d", kind, size>>10, level), samples,
					func(p []byte) []byte { return deflate(w, p) },
					func(p []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(p))) })
			}
		}
	}
}

// cut returns up to 32 samples spread over data.
func cut(data []byte, size int) (samples [][]byte) {
	for at := 0; at+size <= len(data) && len(samples) < 32; at += max(size, len(data)/32) {
		samples = append(samples, data[at:at+size])
	}
	return samples
}

func deflate(w *flate.Writer, p []byte) []byte {
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(p) // a buffer never fails
	_ = w.Close()
	return out.Bytes()
}

// compare reports speed both ways and how many times smaller the samples get.
func compare(b *testing.B, name string, samples [][]byte, pack func([]byte) []byte,
	unpack func([]byte) ([]byte, error)) {
	packed, in, out := make([][]byte, len(samples)), 0, 0
	for i, s := range samples {
		packed[i] = pack(s)
		in, out = in+len(s), out+len(packed[i])
	}
	b.Run(name+"/pack", func(b *testing.B) {
		b.SetBytes(int64(in))
		for b.Loop() {
			for _, s := range samples {
				pack(s)
			}
		}
		b.ReportMetric(float64(in)/float64(out), "ratio")
	})
	b.Run(name+"/unpack", func(b *testing.B) {
		b.SetBytes(int64(in))
		for b.Loop() {
			for i, p := range packed {
				if got, err := unpack(p); err != nil || len(got) != len(samples[i]) {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkBlob packs and reads a whole blob of 1 MiB.
func BenchmarkBlob(b *testing.B) {
	c := newCodec(b)
	content := corpus(b)["source"]
	content = bytes.Repeat(content, 1+(1<<20)/len(content))[:1<<20]
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if _, err := c.Write(io.Discard, bytes.NewReader(content), 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	file, _ := pack(b, c, content)
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if _, err := unpack(c, file); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(content))/float64(len(file)), "ratio")
	})
}
