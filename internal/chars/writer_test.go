package chars

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzATerminalGetsNothingHostile: what reaches a terminal is UTF-8 without control characters,
// and does not depend on how the bytes came.
func FuzzATerminalGetsNothingHostile(f *testing.F) {
	f.Add([]byte("Grüße 买家 👩‍👩‍👧‍👦"), 3)
	f.Add([]byte("\x1b[31m\xe4\xb9\x1b"), 1)
	f.Add([]byte("\xf0\x9f\x99"), 2)
	f.Fuzz(func(t *testing.T, content []byte, chunk int) {
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := content; len(rest) > 0; {
			n := min(max(chunk, 1), len(rest))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatalf("%d of %d bytes: %v", written, n, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if !utf8.ValidString(got) || strings.ContainsFunc(got, Hostile) {
			t.Errorf("a terminal would get %q", got)
		}
		if want := Plain(string(content)); got != want {
			t.Errorf("in chunks %q, at once %q", got, want)
		}
	})
}
