package termtext

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	const max = 8 << 10
	long := strings.Repeat("0123456789abcde\n", 1<<10) // 16 KiB
	for _, c := range []struct{ name, in, note, first string }{
		{"everything fits", long[:max], "", "0123456789abcde"},
		{"at a line start", long, "… (8,192 earlier bytes dropped)\n", "0123456789abcde"},
		{"on to a line start", long + "end", "… (8,208 earlier bytes dropped)\n", "0123456789abcde"},
		{"no line start is near", strings.Repeat("a", 2*max+3), "… (8,195 earlier bytes dropped)\n",
			strings.Repeat("a", max)},
		{"inside a sequence", strings.Repeat("a", max) + "\x1b[31" + "m" + strings.Repeat("b", max-1),
			"… (8,197 earlier bytes dropped)\n", strings.Repeat("b", max-1)},
		{"inside a title", strings.Repeat("a", max) + "\x1b]0;" + strings.Repeat("title\n", max/6) + "\a\nb",
			"… (16,387 earlier bytes dropped)\n", "\nb"},
		{"inside a character", strings.Repeat("a", max) + "表" + strings.Repeat("b", max-1),
			"… (8,195 earlier bytes dropped)\n", strings.Repeat("b", max-1)},
	} {
		for _, size := range []int{1, 100, max, len(c.in)} {
			tail := NewTail(max)
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				_, _ = tail.Write([]byte(rest[:n])) // it never fails
				rest = rest[n:]
			}
			got := string(tail.AppendTo(nil))
			if !strings.HasPrefix(got, c.note+c.first) || c.note == "" && strings.HasPrefix(got, "…") {
				t.Errorf("%s, in pieces of %d: got %.60q, want %.60q", c.name, size, got, c.note+c.first)
			}
			if cap(tail.buf) > 8*max {
				t.Errorf("%s: %d bytes are kept for %d", c.name, cap(tail.buf), max)
			}
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc\n… (output truncated; 1 more bytes)"},
		{strings.Repeat("a", 5000), 10, "aaaaaaaaaa\n… (output truncated; 4,990 more bytes)"},
		{"a表b", 3, "a\n… (output truncated; 4 more bytes)"},
		{"ae\u0301b", 3, "a\n… (output truncated; 4 more bytes)"},
		{"a\r\nb", 2, "a\n… (output truncated; 3 more bytes)"},
		{"a👩\u200d👧b", 9, "a\n… (output truncated; 12 more bytes)"},
		{"\u0301\u0301\u0301", 3, "\u0301\n… (output truncated; 4 more bytes)"},
	} {
		if got := Clip(c.text, c.max); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
}

func TestLastLines(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 2, ""}, {"a", 2, "a"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\nc\n", 2, "b\nc\n"},
		{"a\nb", 5, "a\nb"}, {"a\n\n\n", 2, "\n\n"},
	} {
		if got := LastLines(c.text, c.n); got != c.want {
			t.Errorf("LastLines(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
