package chars

import (
	"strings"
	"testing"
)

func TestStrip(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx"},
		{"colours", "\x1b[31mred\x1b[0m", "red"},
		{"eight-bit control", "a\u009b31mb", "ab"},
		{"title", "\x1b]0;title\ab", "b"},
		{"a sequence without an end", "\x1b]0;title", "0;title"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"},
		{"hidden", "a\u200b\u202e\ufeff\u00ad\U000e0041\U000e0130b", "ab"},
		{"invalid UTF-8", "Gr\xfc\xdfe", "Gr\ufffd\ufffde"},
	} {
		if got := Strip(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzStripIsSafeAndStable(f *testing.F) {
	for _, s := range []string{
		"a\x1b[2Jb", "\x1b]0;title\a", "\u009b31m", "\xff\xfe", "a\r\nb\rc", "\u202eabc", "\x1b", "\x1b[", "\U000e0041",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Strip(s)
		if !Safe(c) || strings.ContainsFunc(c, Hostile) {
			t.Fatalf("%q is not safe", c)
		}
		if Safe(s) && c != s || Strip(c) != c {
			t.Fatalf("%q changes to %q", s, c)
		}
	})
}
