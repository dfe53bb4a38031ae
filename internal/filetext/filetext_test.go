package filetext

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHashIsThatOfTheText(t *testing.T) {
	edge := strings.Repeat("x", 4095)
	for _, c := range []struct{ name, file, text string }{
		{"line feeds", "a\n\nb", "a\n\nb"},
		{"both kinds of line ends", "a\r\n\nb\r\n", "a\n\nb\n"},
		{"carriage returns alone", "a\rb\r\r\nc\r", "a\rb\r\nc\r"},
		{"a line end at the end of the buffer", edge + "\r\nb", edge + "\nb"},
		{"a carriage return there", edge + "\rb", edge + "\rb"},
		{"a mark of the byte order", "\ufeffa\n", "a\n"},
		{"UTF-16", "\xff\xfea\x00\r\x00\n\x00=\xd8\x00\xdeb\x00", "a\n😀b"},
		{"UTF-16, the higher byte first", "\xfe\xff\x00a\x00\r\x00\n\xd8=\xde\x00\x00b", "a\n😀b"},
		{"half a unit of UTF-16", "\xff\xfea\x00b", "a"},
		{"bytes that are no text", "\xfe\x00\n\xff", "\xfe\x00\n\xff"},
		{"nothing", "", ""},
	} {
		sum := sha256.Sum256([]byte(c.text))
		got, err := Hash(strings.NewReader(c.file))
		if again, wrong := Hash(iotest.OneByteReader(strings.NewReader(c.file))); again != got || wrong != nil {
			t.Errorf("%s: read byte by byte, it is %s, %v", c.name, again, wrong)
		}
		if err != nil || got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
	if _, err := Hash(iotest.ErrReader(iotest.ErrTimeout)); err != iotest.ErrTimeout {
		t.Errorf("an error of the reader is %v", err)
	}
}

func TestPlainTakesOffTheNumbersThatToolsAdd(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"cat -n", "     1\ta\n     2\t\n     3\tb\n", "a\n\nb\n"},
		{"Read", "1\ta\n2\tb", "a\nb\n"},
		{"an older Read", "     9→a\n    10→\tb", "a\n\tb\n"},
		{"nl, which skips blank lines", "     1\ta\n       \n     2\tb\n", "a\n\nb\n"},
		{"with a reminder behind", "1\ta\n\n<system-reminder>\nnot of the file\n</system-reminder>", "a\n\n"},
		{"not all are numbered", "1\ta\nb", "1\ta\nb"},
		{"not one behind the other", "1\ta\n3\tb", "1\ta\n3\tb"},
		{"words", "a\nb", "a\nb"},
		{"a table that begins with a number", "1,a\n2,b", "1,a\n2,b"},
		{"nothing", "", ""},
	} {
		if got := Plain(c.text, true); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := Plain(c.text, false); got != c.text {
			t.Errorf("%s, not numbered: %q", c.name, got)
		}
	}
}

func TestWithinComparesWholeLines(t *testing.T) {
	for _, c := range []struct {
		name, part, whole string
		want              bool
	}{
		{"the same", "a\nb", "a\nb", true},
		{"but for the end", "a\nb", "a\nb\n\n", true},
		{"but for blank lines in front", "a\nb", "\n \na\nb\n", true},
		{"in the middle", "b\nc\n", "a\nb\nc\nd\n", true},
		{"half a line", "b", "ab\nbc\n", false},
		{"another order", "b\na", "a\nb\n", false},
		{"other white space", "a \nb", "a\nb", false},
		{"more than there is", "a\nb", "a", false},
		{"nothing", " \n", "a", false},
	} {
		if got := Within(c.part, c.whole); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// FuzzPlain: a numbered text is what it was before it was numbered.
func FuzzPlain(f *testing.F) {
	f.Add("a\n\nb", "x")
	f.Fuzz(func(t *testing.T, text, part string) {
		if plain := Plain(text, true); len(plain) > len(text)+1 {
			t.Errorf("%q became %q", text, plain)
		}
		if Within(part, text) && Bare(part) == "" {
			t.Errorf("nothing is within %q", text)
		}
	})
}
