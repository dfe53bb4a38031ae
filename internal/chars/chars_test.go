package chars

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutsPartNothing(t *testing.T) {
	for _, c := range []struct {
		text       string
		n          int
		head, tail string
	}{
		{"abcdef", 2, "ab", "ef"},
		{"abc", 3, "abc", "abc"},
		{"abc", 9, "abc", "abc"},
		{"abc", 0, "", ""},
		{"", 3, "", ""},
		{"a\r\nb", 2, "a", "b"},
		{"e\u0301e\u0301", 3, "e\u0301", "e\u0301"},
		{"👩‍👩", 1, "", ""},
		{"👩‍👩", 2, "", ""},
		{"☺\ufe0fx", 2, "☺\ufe0f", "x"},
		{"表x", 1, "表", "x"},
	} {
		if got := Head(c.text, c.n); got != c.head {
			t.Errorf("Head(%q, %d) = %q, want %q", c.text, c.n, got, c.head)
		}
		if got := Tail(c.text, c.n); got != c.tail {
			t.Errorf("Tail(%q, %d) = %q, want %q", c.text, c.n, got, c.tail)
		}
	}
}

func TestCommas(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456",
		1234567: "1,234,567", -5: "-5", -1000: "-1,000", -100: "-100",
	} {
		if got := Commas(n); got != want {
			t.Errorf("Commas(%d) = %s, want %s", n, got, want)
		}
	}
}

func FuzzCuts(f *testing.F) {
	f.Add("e\u0301\r\n👩‍👩", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		head, tail := Head(s, n), Tail(s, n)
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) {
			t.Fatalf("%q has no head %q or no tail %q", s, head, tail)
		}
		if most := max(n, 0); utf8.RuneCountInString(head) > most || utf8.RuneCountInString(tail) > most {
			t.Fatalf("%q, %q: more than %d characters", head, tail, n)
		}
	})
}

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Size(0), "0 B"},
		{Size(999), "999 B"},
		{Size(1000), "1.0 KB"},
		{Size(999_949), "999.9 KB"},
		{Size(999_950), "1.0 MB"},
		{Size(1_534_588), "1.5 MB"},
		{Size(5_000_000_000_000_000), "5000.0 TB"},
		{Share(0, 200), "0%"},
		{Share(1, 1000), "<1%"},
		{Share(2.5, 10), "25%"},
		{Share(41_000, 200_000), "21%"}, // not to even
		{Share(89_000, 200_000), "45%"},
		{Share(199_005, 200_000), ">99%"},
		{Share(200_000, 200_000), "100%"},
		{Share(250_000, 200_000), "125%"},
		{Share(1, 0), "100000000000%"},
		{Plural(1, "memory"), "1 memory"},
		{Plural(0, "memory"), "0 memories"},
		{Plural(2, "day"), "2 days"},
		{Plural(int64(1234), "line"), "1,234 lines"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestCutCountsCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "abc": "abc", "abcd": "abc…", "äöü": "äöü", "äöüß": "äöü…", "a\xffb\xff": "a\xffb…",
	} {
		if got := Cut(in, 3); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
