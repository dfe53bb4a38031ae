package sessionfile

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/limits"
)

// lines reads everything, copying the texts.
func lines(t *testing.T, r *Reader) []Line {
	t.Helper()
	var all []Line
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		rec.Text = bytes.Clone(rec.Text)
		all = append(all, rec)
	}
}

func TestReaderCutsLines(t *testing.T) {
	text := func(s string) []byte { return []byte(s) }
	for _, c := range []struct {
		name, in string
		want     []Line
	}{
		{"nothing", "", nil},
		{"one line", "ab\n", []Line{{Next: 3, Number: 1, Size: 2, Text: text("ab"), Ended: true}}},
		{"torn last line", "ab\nc", []Line{
			{Next: 3, Number: 1, Size: 2, Text: text("ab"), Ended: true},
			{Offset: 3, Next: 4, Number: 2, Size: 1, Text: text("c")},
		}},
		{"windows line ends", "a\r\nb\r", []Line{
			{Next: 3, Number: 1, Size: 2, Text: text("a\r"), Ended: true},
			{Offset: 3, Next: 5, Number: 2, Size: 2, Text: text("b\r")},
		}},
		{"empty lines", "\n\r\n", []Line{
			{Next: 1, Number: 1, Ended: true, Text: text("")},
			{Offset: 1, Next: 3, Number: 2, Size: 1, Ended: true, Text: text("\r")},
		}},
		{"byte order mark", "\xef\xbb\xbf{}\n\xef\xbb\xbf\n", []Line{
			{Next: 6, Number: 1, Size: 5, Text: text("{}"), Ended: true},
			{Offset: 6, Next: 10, Number: 2, Size: 3, Text: text("\xef\xbb\xbf"), Ended: true},
		}},
		{"NUL bytes stay", "\x00\x00\n", []Line{{Next: 3, Number: 1, Size: 2, Text: text("\x00\x00"), Ended: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(t, NewReader(iotest.OneByteReader(strings.NewReader(c.in)), Position{}))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReaderPassesOverLongLinesWithoutKeepingThem(t *testing.T) {
	for _, size := range []int{limits.Line, limits.Line + 1, limits.Line + chunk + 7, 3*limits.Line + 5} {
		for _, end := range []string{"\n", "\r\n", ""} {
			in := io.MultiReader(strings.NewReader("a\n"), &zeros{left: size}, strings.NewReader(end))
			r := NewReader(in, Position{})
			got := lines(t, r)
			if len(got) != 2 {
				t.Fatalf("%d bytes, end %q: %d records", size, end, len(got))
			}
			whole := size + len(strings.TrimSuffix(end, "\n"))
			want := Line{Offset: 2, Next: int64(2 + size + len(end)), Number: 2, Size: int64(whole), Ended: end != "",
				Long: whole > limits.Line}
			if rec := got[1]; rec.Long == (rec.Text != nil) {
				t.Errorf("%d bytes: long %v with a text: %v", size, rec.Long, rec.Text != nil)
			}
			got[1].Text = nil
			if d := cmp.Diff(want, got[1]); d != "" {
				t.Errorf("%d bytes, end %q: %s", size, end, d)
			}
			if len(r.buf) > limits.Line+2*chunk {
				t.Errorf("%d bytes: buffer of %d", size, len(r.buf))
			}
		}
	}
}

// zeros gives so many '0' bytes.
type zeros struct{ left int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	for i := range p[:n] {
		p[i] = '0'
	}
	z.left -= n
	return n, nil
}

func TestReaderReturnsTheErrorOfReading(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, in := range []io.Reader{
		strings.NewReader("ab\ncd"), io.MultiReader(strings.NewReader("ab\n"), &zeros{left: 2 * limits.Line}),
	} {
		r := NewReader(io.MultiReader(in, iotest.ErrReader(broken)), Position{})
		if rec, err := r.Next(); err != nil || string(rec.Text) != "ab" {
			t.Errorf("first line: %q, %v", rec.Text, err)
		}
		if _, err := r.Next(); err != broken {
			t.Errorf("error %v, want %v", err, broken)
		}
	}
	if _, err := NewReader(stuck{}, Position{}).Next(); err != io.ErrNoProgress {
		t.Errorf("error %v, want %v", err, io.ErrNoProgress)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func FuzzReaderLosesNoByte(f *testing.F) {
	f.Add([]byte("{}\n\n{\"a\":1}\r\nx"), 3)
	f.Add([]byte("\xef\xbb\xbf{}\n\x00\n\xff\n"), 1)
	f.Fuzz(func(t *testing.T, in []byte, from int) {
		from = min(max(from, 0), len(in))
		lineNo := int64(bytes.Count(in[:from], []byte("\n")))
		at := int64(from)
		r := NewReader(iotest.HalfReader(bytes.NewReader(in[from:])), Position{at, lineNo})
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if rec.Offset != at || rec.Next <= rec.Offset {
				t.Fatalf("record [%d,%d) after offset %d", rec.Offset, rec.Next, at)
			}
			if lineNo++; rec.Number != lineNo {
				t.Fatalf("line %d, want %d", rec.Number, lineNo)
			}
			whole := in[rec.Offset:rec.Next]
			if rec.Ended != bytes.HasSuffix(whole, []byte("\n")) || bytes.IndexByte(rec.Text, '\n') >= 0 {
				t.Fatalf("record %q of %q", rec.Text, whole)
			}
			if !bytes.Contains(whole, rec.Text) || len(whole)-len(rec.Text) > 2+len(bom) {
				t.Fatalf("text %q of line %q", rec.Text, whole)
			}
			at = rec.Next
		}
		if at != int64(len(in)) {
			t.Fatalf("read up to %d of %d", at, len(in))
		}
	})
}
