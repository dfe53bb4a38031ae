package sessionfile

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// pack compresses a text as an agent does.
func pack(t *testing.T, text []byte, options ...zstd.EOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// file writes a file and opens it.
func file(t *testing.T, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rollout-x.jsonl.zst")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // only read
	return f
}

// TestACompressedFileIsReadAtAnyPlace reads here and there, forwards and backwards, as an import does that checks what it
// knows, reads records and goes back for a long line.
func TestACompressedFileIsReadAtAnyPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for len(text) < 3*packedBlock+17 {
		text = append(text, recordsOfAgents[random.IntN(len(recordsOfAgents))]...)
		text = append(text, '\n')
	}
	half := len(text) / 2
	for name, content := range map[string][]byte{
		"plain": text, "compressed": pack(t, text),
		"in two frames": append(pack(t, text[:half]), pack(t, text[half:], zstd.WithEncoderCRC(false))...),
	} {
		all, err := Unpacked(file(t, content))
		if err != nil {
			t.Fatal(err)
		}
		size, err := all.Size()
		if err != nil || size != int64(len(text)) {
			t.Fatalf("%s: %d bytes, %v", name, size, err)
		}
		got, err := io.ReadAll(io.NewSectionReader(all, 0, size))
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%s: another text, %v", name, err)
		}
		for range 200 {
			from := random.IntN(len(text))
			part := make([]byte, random.IntN(2*packedBlock))
			n, err := all.ReadAt(part, int64(from))
			want := text[from:min(from+len(part), len(text))]
			if !bytes.Equal(part[:n], want) || (err == nil) != (len(want) == len(part)) || err != nil && err != io.EOF {
				t.Fatalf("%s: %d of %d bytes from %d, %v", name, n, len(part), from, err)
			}
		}
		if p, is := all.(*packed); is && len(p.places) > maxPlaces {
			t.Errorf("%s: %d places", name, len(p.places))
		}
	}
}

// TestWhatCannotBeUnpackedIsNamed has archives that are cut, damaged, or would use up memory or time.
func TestWhatCannotBeUnpackedIsNamed(t *testing.T) {
	text := []byte(strings.Repeat(recordsOfAgents[0]+"\n", 100))
	whole := pack(t, text)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-2] ^= 1 // in the checksum
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":                {whole[:len(whole)-20], "cannot be unpacked"},
		"damaged":            {damaged, "cannot be unpacked"},
		"only its beginning": {[]byte(zstdMagic), "cannot be unpacked"},
		"with garbage":       {append(bytes.Clone(whole), "garbage"...), "cannot be unpacked"},
		"a large window": {pack(t, make([]byte, 4*maxWindow), zstd.WithWindowSize(2*maxWindow)),
			"cannot be unpacked"},
		"a bomb": {pack(t, make([]byte, 64<<20), zstd.WithWindowSize(1<<20)), ""},
	} {
		content := c.content
		if c.want == "" {
			content, c.want = bytes.Repeat(content, limits.Unpacked/(64<<20)+1), "is larger than 1073741824 bytes"
		}
		all, err := Unpacked(file(t, content))
		if err != nil {
			t.Fatal(err)
		}
		_, err = all.Size()
		if _, reading := io.Copy(io.Discard, io.NewSectionReader(all, 0, 2*limits.Unpacked)); reading == nil {
			t.Errorf("%s: it was read", name)
		}
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "rollout-x.jsonl.zst") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACompressedFileBesideItsOriginalIsSuperseded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl", "a.jsonl.zst", "b.jsonl.zst", "c.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := fs.ReadDir(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if got := Superseded(entries, e.Name()); got != (e.Name() == "a.jsonl.zst") {
			t.Errorf("%s: %v", e.Name(), got)
		}
	}
}
