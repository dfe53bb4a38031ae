package kvtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// contents are blobs of every size around a frame, compressible and not, with a seed that is
// the same in each run.
func contents() map[string][]byte {
	rnd := rand.NewChaCha8([32]byte{7})
	noise := make([]byte, 1<<20)
	_, _ = rnd.Read(noise) // never fails
	text := bytes.Repeat([]byte("a line of a tool's output, 42 bytes long\r\n"), 1<<20/42+1)
	m := map[string][]byte{"newlines": bytes.Repeat([]byte{'\n'}, 70_000),
		"one line": bytes.Repeat([]byte{'x'}, 200_000)}
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 1 << 20} {
		m["noise"+string(rune('a'+len(m)))] = noise[:n]
		m["text"+string(rune('a'+len(m)))] = text[:n]
	}
	return m
}

// putBlob stores content and checks the name that it gets.
func putBlob(t *testing.T, st kv.Store, content []byte) kv.BlobRef {
	t.Helper()
	ref, err := st.PutBlob(context.Background(), bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("put blob of %d bytes: %v", len(content), err)
	}
	sum := sha256.Sum256(content)
	lines := int64(bytes.Count(content, []byte{'\n'}))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	if want := (kv.BlobRef{Hash: hex.EncodeToString(sum[:]), Size: int64(len(content)), Lines: lines}); ref != want {
		t.Fatalf("blob is %+v, want %+v", ref, want)
	}
	return ref
}

// openBlob opens a blob until the end of the test.
func openBlob(t *testing.T, st kv.Store, hash string) kv.Blob {
	t.Helper()
	b, err := st.OpenBlob(context.Background(), hash)
	if err != nil {
		t.Fatalf("open blob: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close blob: %v", err)
		}
	})
	return b
}

// readBlob returns a whole blob.
func readBlob(b kv.Blob) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(b, 0, b.Ref().Size))
}

// blobs: whole and in random pieces, before and after reopening.
func (s suite) blobs(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	for _, content := range contents() {
		ref := putBlob(t, st, content)
		samePieces(t, openBlob(t, st, ref.Hash), ref, content)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = s.open(t, dir)
	defer func() { _ = st.Close() }() // only read from
	for _, content := range contents() {
		sum := sha256.Sum256(content)
		b := openBlob(t, st, hex.EncodeToString(sum[:]))
		samePieces(t, b, b.Ref(), content)
	}
}

// samePieces reads a blob at random ranges, also beyond its end.
func samePieces(t *testing.T, b kv.Blob, ref kv.BlobRef, content []byte) {
	t.Helper()
	if b.Ref() != ref {
		t.Errorf("ref %+v, want %+v", b.Ref(), ref)
	}
	if got, err := readBlob(b); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("blob of %d bytes reads back as %d bytes, error %v", len(content), len(got), err)
	}
	rnd := rand.New(rand.NewPCG(1, uint64(len(content))))
	for range 50 {
		off, p := rnd.Int64N(int64(len(content))+2), make([]byte, rnd.IntN(100_000))
		n, err := b.ReadAt(p, off)
		want := content[min(off, int64(len(content))):]
		want = want[:min(len(want), len(p))]
		if n != len(want) || !bytes.Equal(p[:n], want) || (n < len(p)) != (err == io.EOF) ||
			(err != nil && err != io.EOF) {
			t.Fatalf("ReadAt(%d bytes, %d) of %d = %d, %v", len(p), off, len(content), n, err)
		}
	}
	_, err := b.ReadAt(make([]byte, 1), -1)
	wantCode(t, err, fault.Invalid)
}

// blobLines: LineOffset against counting.
func (s suite) blobLines(t *testing.T) {
	st := s.fresh(t)
	for name, content := range contents() {
		ref := putBlob(t, st, content)
		b := openBlob(t, st, ref.Hash)
		starts := []int64{0}
		for i, c := range content {
			if c == '\n' && i+1 < len(content) {
				starts = append(starts, int64(i+1))
			}
		}
		if len(content) > 0 {
			starts = append(starts, int64(len(content)))
		}
		step := max(1, len(starts)/500)
		for n := 0; n < len(starts); n = min(n+step, max(n+1, len(starts)-1)) {
			if got, err := b.LineOffset(int64(n)); err != nil || got != starts[n] {
				t.Fatalf("%s: line %d starts at %d (%v), want %d", name, n, got, err, starts[n])
			}
		}
		for _, n := range []int64{-1, ref.Lines + 1, 1 << 62} {
			_, err := b.LineOffset(n)
			wantCode(t, err, fault.Invalid)
		}
	}
}

// blobOnce: equal content is stored once, and is gone when deleted.
func (s suite) blobOnce(t *testing.T) {
	st := s.fresh(t)
	ctx := context.Background()
	content := bytes.Repeat([]byte("once\n"), 10_000)
	ref := putBlob(t, st, content)
	first, err := st.Size(ctx)
	if err != nil || first.BlobCount != 1 || first.Blobs <= 0 || first.Records <= 0 {
		t.Fatalf("size %+v, %v", first, err)
	}
	putBlob(t, st, content)
	if second, err := st.Size(ctx); err != nil || second != first {
		t.Errorf("size %+v after %+v, %v", second, first, err)
	}
	for range 2 { // deleting what is not there is not an error
		if err := st.DeleteBlob(ctx, ref.Hash); err != nil {
			t.Error(err)
		}
	}
	_, err = st.OpenBlob(ctx, ref.Hash)
	wantCode(t, err, fault.NotFound)
	if last, err := st.Size(ctx); err != nil || last.BlobCount != 0 || last.Blobs != 0 {
		t.Errorf("size %+v, %v", last, err)
	}
}

// leftovers returns the files in dir that were not there before fn.
func leftovers(t *testing.T, dir string, fn func()) []string {
	t.Helper()
	list := func() (files []string) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	before := strings.Join(list(), "\n")
	fn()
	var left []string
	for _, f := range list() {
		if !strings.Contains(before, f) {
			left = append(left, f)
		}
	}
	return left
}

// blobLimit: a byte too many stores nothing.
func (s suite) blobLimit(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // nothing was stored
	ctx := context.Background()
	left := leftovers(t, dir, func() {
		for _, limit := range []int64{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000} {
			_, err := st.PutBlob(ctx, bytes.NewReader(make([]byte, limit+1)), limit)
			wantCode(t, err, fault.TooLarge)
		}
		_, err := st.PutBlob(ctx, strings.NewReader(""), -1)
		wantCode(t, err, fault.Invalid)
	})
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if size, err := st.Size(ctx); err != nil || size.BlobCount != 0 {
		t.Errorf("size %+v, %v", size, err)
	}
}

// blobReaderFails: a stream that breaks off is not a shorter blob.
func (s suite) blobReaderFails(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // nothing was stored
	left := leftovers(t, dir, func() {
		for _, cause := range []error{errWanted, io.ErrUnexpectedEOF} {
			r := io.MultiReader(strings.NewReader("some content"), iotest.ErrReader(cause))
			if _, err := st.PutBlob(context.Background(), r, 1<<20); !errors.Is(err, cause) {
				t.Errorf("%v, want %v", err, cause)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		r := readerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
		_, err := st.PutBlob(ctx, r, 1<<40)
		wantCode(t, err, fault.Unavailable)
	})
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// readerFunc is a stream made by a function.
type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// blobNames: what is not a name finds nothing, wherever it points.
func (s suite) blobNames(t *testing.T) {
	st := s.fresh(t)
	for _, hash := range []string{"", "ab", "../ledger.db", strings.Repeat("a", 63), strings.Repeat("A", 64),
		strings.Repeat("g", 64),
		strings.Repeat("../", 21) + "a", strings.Repeat("0", 62) + "\x00\x00", strings.Repeat("a", 65),
		strings.Repeat("0", 64)} {
		_, err := st.OpenBlob(context.Background(), hash)
		wantCode(t, err, fault.NotFound)
		if err := st.DeleteBlob(context.Background(), hash); err != nil {
			t.Errorf("delete %q: %v", hash, err)
		}
	}
}

// blobDamage flips bytes all over a stored blob: reading it is right or corrupt, and storing
// the content again heals it. It needs a backend that keeps a blob in a file of its name.
func (s suite) blobDamage(t *testing.T) {
	dir := t.TempDir()
	st := s.open(t, dir)
	defer func() { _ = st.Close() }() // checked by reading
	content := append(contents()["one line"], contents()["newlines"]...)
	content = append(content, bytes.Repeat([]byte("0123456789abcdef"), 300)...)
	ref := putBlob(t, st, content)
	path := findFile(t, dir, ref.Hash)
	if path == "" {
		t.Skip("this backend keeps blobs elsewhere")
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	others := make([]string, 32) // a backend may keep open what was read last: reading others pushes it out
	for i := range others {
		others[i] = putBlob(t, st, fmt.Append(nil, "other ", i)).Hash
	}
	for i := 0; i < len(good); i += max(1, len(good)/997) {
		bad := bytes.Clone(good)
		bad[i] ^= byte(1 << (i % 8))
		damageRead(t, st, path, ref.Hash, bad, others)
	}
	for _, bad := range [][]byte{nil, good[:1], good[:len(good)/2], good[:len(good)-1], append(bytes.Clone(good), 0),
		make([]byte, len(good))} {
		damageRead(t, st, path, ref.Hash, bad, others)
	}
	putBlob(t, st, content)
	if got, err := readBlob(openBlob(t, st, ref.Hash)); err != nil || !bytes.Equal(got, content) {
		t.Errorf("storing a damaged blob again did not heal it: %v", err)
	}
}

// damageRead replaces a blob's file and expects that reading it all is an error.
func damageRead(t *testing.T, st kv.Store, path, hash string, bad []byte, others []string) {
	t.Helper()
	for _, other := range others {
		_ = openBlob(t, st, other).Close() // only opened
	}
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := st.OpenBlob(context.Background(), hash)
	if err == nil {
		_, err = readBlob(b)
		_ = b.Close() // only read from
	}
	wantCode(t, err, fault.Corrupt)
}

// findFile returns the path of the file with a name below dir, or "".
func findFile(t *testing.T, dir, name string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// blobConcurrent: equal and different content at the same time.
func (s suite) blobConcurrent(t *testing.T) {
	st := s.fresh(t)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			content := bytes.Repeat([]byte{byte('a' + i%4), '\n'}, 60_000)
			ref, err := st.PutBlob(context.Background(), bytes.NewReader(content), 1<<20)
			if err != nil {
				t.Error(err)
				return
			}
			b, err := st.OpenBlob(context.Background(), ref.Hash)
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Close()
			if got, err := readBlob(b); err != nil || !bytes.Equal(got, content) {
				t.Errorf("blob %d: %d bytes, %v", i, len(got), err)
			}
		})
	}
	all.Wait()
	if size, err := st.Size(context.Background()); err != nil || size.BlobCount != 4 {
		t.Errorf("size %+v, %v", size, err)
	}
}
