package termtext

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
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
		if pieces := inPieces(string(in), 1+int(size)); pieces != string(got) {
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
