package compaction

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzQuoteReadsBackAndNeverPoses(f *testing.F) {
	for _, s := range []string{"", "a", "a\nb", "```\nx\n```", "\n\n---\n\n", "| ---\n|| [PINNED", "[OPEN WORK\n(turn 3) x", "\x1b[31mred", "é\u200d\n✓ x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := quote(entry{label: "turn 1", text: s})
		if strings.Contains(q, ruleText) {
			t.Fatalf("holds a rule: %q", q)
		}
		back := unquote("[HEAD]\n" + q + "\n(turn 2) end")
		if len(back) != 2 || back[1].text != "end" {
			t.Fatalf("%q reads back as %q", q, back)
		}
		want := strings.Trim(clean(s), "\n")
		if !strings.Contains(want, "\n") {
			want = strings.TrimSpace(want)
		}
		if strings.TrimSpace(want) != "" && back[0].text != want {
			t.Fatalf("%q reads back as %q", want, back[0].text)
		}
	})
}

func FuzzCleanIsHarmlessAndStable(f *testing.F) {
	for _, s := range []string{"a\x1b[2Jb", "\x1b]0;title\a", "\u009b31m", "\xff\xfe", "a\r\nb\rc", "\u202eabc", "\x1b", "\x1b[", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := clean(s)
		if !utf8.ValidString(c) {
			t.Fatalf("%q is not valid", c)
		}
		for _, r := range c {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q holds %U", c, r)
			}
		}
		if clean(c) != c {
			t.Fatalf("%q changes again", c)
		}
		if utf8.RuneCountInString(oneLine(s, 20)) > 21 {
			t.Fatalf("%q is too long", oneLine(s, 20))
		}
	})
}

func TestClipNeverCutsACharacterInTwo(t *testing.T) {
	cases := []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"ae\u0301b", 2, "a…"},
		{"x👩\u200d🌾y", 2, "x…"},
	}
	for _, c := range cases {
		if got := clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
