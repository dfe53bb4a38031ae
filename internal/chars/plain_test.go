package chars

import (
	"testing"
	"unicode"
)

func TestPlainShowsWhatCouldDriveATerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx", "Grüße, 买家 👩‍👩‍👧‍👦 ✌️\n\tx"},
		{"escape", "\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"bell and backspace", "a\a\b", `a\u0007\u0008`},
		{"carriage return", "good\rbad", `good\u000dbad`},
		{"eight-bit control", "\u009b31m", `\u009b31m`},
		{"eight-bit control as a bare byte", "\x9b31m", "\ufffd31m"},
		{"delete", "\x7f", `\u007f`},
		{"right to left override", "\u202egnp.exe", `\u202egnp.exe`},
		{"zero width space", "a\u200bb", `a\u200bb`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"hidden tag", "\U000e0041", `\udb40\udc41`},
		{"non-joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"variation selector", "x\ufe01", `x\ufe01`},
		{"variation selector that carries a byte", "x\U000e0130", `x\udb40\udd30`},
		{"filler", "x\u3164\u115f", `x\u3164\u115f`},
		{"grapheme joiner", "x\u034f", `x\u034f`},
		{"invalid UTF-8", "Gr\xfc\xdfe", "Gr\ufffd\ufffde"},
	} {
		if got := Plain(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALineIsOneAndShort(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{" a\n\tb\r\nc ", 9, "a b c"},
		{"a\u2028b\u202ec", 99, `a b\u202ec`},
		{"\x1b[2J", 99, `\u001b[2J`},
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abcde…"},
		{"abcde\u0301f", 6, "abcd…"},
		{"abc", 1, "…"},
		{"", 0, ""},
	} {
		if got := Short(Line(c.text), c.n); got != c.want {
			t.Errorf("%q in %d characters is %q, not %q", c.text, c.n, got, c.want)
		}
	}
}

func TestInvisibleIsWhatUnicodeSays(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if got, want := Invisible(r), unicode.In(r, Unseen()...); got != want {
			t.Errorf("U+%04X: %t, want %t", r, got, want)
		}
	}
}
