package termtext

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

func FuzzRender(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(strings.NewReplacer("␛", "\x1b", "␇", "\a").Replace(c.in)), uint8(3))
	}
	f.Add([]byte("\x1b[200Bx\x1b[4096Gy\n\tz\x1b[1J\x1b[1K"), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		got := Render(nil, in)
		if !utf8.Valid(got) || bytes.ContainsAny(got, "\x1b\r\b\t\a\x00\x7f") {
			t.Fatalf("%q shows %q, which is not plain", in, got)
		}
		if again := Render(nil, got); !bytes.Equal(again, got) {
			t.Fatalf("%q shows %q, and that shows %q", in, got, again)
		}
		if pieces := inPieces(string(in), 1+int(size)); pieces != "" && pieces != string(got) {
			t.Fatalf("%q shows %q at once, %q in pieces of %d", in, got, pieces, 1+int(size))
		}
		if most := maxBlanks + 16*len(in); len(got) > most {
			t.Fatalf("%d bytes became %d, more than %d", len(in), len(got), most)
		}
		if len(in) <= 512 {
			if want := modelRender(string(in)); string(got) != want {
				t.Fatalf("%q\n shows %q\n  want %q", in, got, want)
			}
		}
	})
}

// A tail does not depend on the pieces in which the stream comes, is plain, and shows a short stream whole.
func FuzzTail(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(strings.NewReplacer("␛", "\x1b", "␇", "\a").Replace(c.in)), uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, in []byte, size, max uint8) {
		whole, pieces := NewTail(1+int(max)), NewTail(1+int(max))
		_, _ = whole.Write(in) // it never fails
		for rest := in; len(rest) > 0; {
			n := min(1+int(size), len(rest))
			_, _ = pieces.Write(rest[:n])
			rest = rest[n:]
		}
		got := whole.AppendTo(nil)
		if again := pieces.AppendTo(nil); !bytes.Equal(got, again) {
			t.Fatalf("the tail of %q is %q, in pieces of %d %q", in, got, 1+int(size), again)
		}
		if want := Render(nil, in); len(in) <= 1+int(max) && !bytes.Equal(got, want) {
			t.Fatalf("the tail of %q is %q, want all of it: %q", in, got, want)
		}
		if !utf8.Valid(got) || bytes.ContainsAny(got, "\x1b\r\b\t\a\x00\x7f") {
			t.Fatalf("the tail of %q is %q, which is not plain", in, got)
		}
	})
}

// What is clipped is a beginning of the text, of whole characters, and says how much is missing.
func FuzzClip(f *testing.F) {
	f.Add("ae\u0301b", uint8(2))
	f.Add("a\r\nb", uint8(2))
	f.Add("a👩\u200d👧b", uint8(9))
	f.Fuzz(func(t *testing.T, text string, max uint8) {
		got := Clip(text, int(max))
		if len(text) <= int(max) {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		const says = "\n… (output truncated; "
		at := strings.LastIndex(got, says)
		if at < 0 {
			t.Fatalf("%q at %d became %q", text, max, got)
		}
		kept, note := got[:at], got[at+len(says):]
		if len(kept) > int(max) || !strings.HasPrefix(text, kept) ||
			note != chars.Commas(len(text)-len(kept))+" more bytes)" {
			t.Fatalf("%q at %d became %q", text, max, got)
		}
		if utf8.ValidString(text) && !utf8.ValidString(kept) {
			t.Fatalf("%q at %d became %q, which parts a character", text, max, got)
		}
	})
}
