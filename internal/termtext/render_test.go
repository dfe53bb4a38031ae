package termtext

import (
	"strings"
	"testing"
)

// cases are what terminals do, one rule each: "␛" is ESC, "␇" is BEL.
var cases = []struct{ in, want string }{
	// line ends, trailing white space
	{"", ""},
	{"a\nb\nc", "a\nb\nc"},
	{"a  \nb \n\n", "a\nb"},
	{"\n\na", "\n\na"},
	{"\n \n\n", ""},
	{"line1\r\nline2\r\n", "line1\nline2"},
	// carriage return, backspace, tab
	{"\r 10%\r 50%\r100%", "100%"},
	{"12345\rab", "ab345"},
	{"12345\rab␛[K", "ab"},
	{"a\rb\nc\rd", "b\nd"},
	{"foox\bbar", "foobar"},
	{"a\b\b\bb", "b"},
	{"ab\tcd", "ab      cd"},
	{"12345678\tx", "12345678        x"},
	{"abcdefghij\r\tX", "abcdefghXj"},
	{"a\t\nb\t", "a\nb"},
	{"a\t \n\t  \n \tb\t\r\n", "a\n\n        b"},
	{"1234567\tb\n12345678\tb\n\t\tb\n", "1234567 b\n12345678        b\n                b"},
	{"\té\tb\né\tb\n", "        é       b\né       b"},
	// moves
	{"one\ntwo␛[A\rONE", "ONE\ntwo"},
	{"p 1\n p 2\n p 3␛[A␛[A\r␛[KP 1", "P 1\n p 2\n p 3"},
	{"x 1\nx 2\nx 3␛[A\r␛[K␛[A\r␛[Ky 1\ny 2\ny 3", "y 1\ny 2\ny 3"},
	{"tbl1\ntbl2\n\n\r50%\r100%", "tbl1\ntbl2\n\n100%"},
	{"abc\ndef␛[1;2HX", "aXc\ndef"},
	{"abc\ndef␛[2HX", "abc\nXef"},
	{"abc\ndef␛[;2fX", "aXc\ndef"},
	{"abc\ndef␛[HX", "Xbc\ndef"},
	{"abc␛[5Gx", "abc x"},
	{"abc␛[Gx", "xbc"},
	{"a␛[3Cb", "a   b"},
	{"a␛[0Cb", "a b"},
	{"a␛[2Bb", "a\n\n b"},
	{"a␛[2Eb", "a\n\nb"},
	{"a\nb␛[1Fc", "c\nb"},
	{"a\nb␛[9Fc", "c\nb"},
	{"abc␛[9Dx", "xbc"},
	{"a␛7b␛8c", "ac"},
	{"a\nb\n␛8c", "c\nb"},
	// erasing
	{"abc␛[2D␛[K", "a"},
	{"abc␛[1K", "abc"}, // nothing is left: what was seen last
	{"abcdef␛[4D␛[1Kx", "  xdef"},
	{"abcdef␛[4D␛[1K␛[C␛[1K", "    ef"},
	{"äbcdef␛[4D␛[1K␛[C␛[1K", "    ef"},
	{"abcdef␛[4D␛[1K\rx␛[2C␛[1K", "    ef"},
	{"abcdef␛[4D␛[1K\rä␛[2C␛[1K", "    ef"},
	{"abcdef␛[4D␛[1K\r␛[C\u0301␛[2C␛[1K", "    ef"},
	{"abcd␛[2D␛[1K␛[C␛[K\u0301xy\b\b␛[1K", "    y"},
	{"abc␛[2Kx", "   x"},
	{"abc␛[3Kx", "abcx"},
	{"x\ny\nz␛[2Jw", "w"},
	{"x\ny\nz␛[3Jw", "w"},
	{"x\ny\nz␛[1A␛[J", "x\ny"},
	{"x\ny\nz␛[1A\r␛[Jq", "x\nq"},
	{"xx\nyy\nzz␛[1A\r␛[1J", "\n y\nzz"},
	{"x\ny␛[1Jz", "\n z"},
	{"x␛[5B␛[K␛[Jy", "x\n\n\n\n\n y"},
	// what has no effect
	{"␛[1;32mok␛[0m", "ok"},
	{"␛[38:2::1:2:3mok␛[m", "ok"},
	{"␛]0;title␇hi", "hi"},
	{"␛]8;;http://x␛\\link␛]8;;␛\\", "link"},
	{"a␛[?25lb␛[?25h", "ab"},
	{"a␛[>4;1mb␛[3 qc␛[?2Kd", "abcd"},
	{"a␛[999Xb", "ab"},
	{"a␛(Bb", "ab"},
	{"a␛ Fb␛#8c␛=d␛>e␛Mf␛cg", "abcdefg"},
	{"abc␇def", "abcdef"},
	{"a\x00\v\f\x0e\x1a\x7fb", "ab"},
	{"a\u0085\u009bb", "ab"},
	{"a␛P1;2|q␇x␛\\b␛_app␛\\c␛^pm␛\\d␛Xsos␛\\e", "abcde"},
	{"a␛]0;t\x18b␛Pq\x1ac", "abc"},
	{"a␛]0;t␛[1mb", "ab"},
	// sequences that end early
	{"abc␛[31", "abc"},
	{"abc␛", "abc"},
	{"abc␛]0;title", "abc"},
	{"abc␛Pq", "abc"},
	{"ab␛[3\ncd", "ab\ncd"},
	{"ab␛[3␛[Kcd", "abcd"},
	{"ab␛\ncd␛(\nef", "ab\ncd\nef"},
	{"ab␛[3äc", "abäc"},
	// numbers that do not fit
	{"abc␛[999999999999999999999Dx", "xbc"},
	{"abc␛[1;2;3;4;5Hx", "axc"},
	// wide, narrow and combining characters
	{"表x\rab", "abx"},
	{"表x\ra", "a x"},
	{"表x\r␛[Cb", " bx"},
	{"x表\r表", "表"},
	{"a表b␛[3D␛[Kc", "ac"},
	{"a表b␛[2D␛[Kc", "a c"},
	{"a表b␛[2D␛[1K", "   b"},
	{"a表b␛[3D␛[1K", "   b"},
	{"🙂x\rab", "abx"},
	{"e\u0301x\ra", "ax"},
	{"e\u0301x\r␛[Cy", "e\u0301y"},
	{"ab\re\u0301\u0302", "e\u0301\u0302b"},
	{"表\u0301x\r␛[2Cy", "表\u0301y"},
	{"\u0301a", "a"},
	{"x\r\u0301a", "a"},
	{"a␛[3C\u0301", "a   \u0301"},
	{"👩\u200d👧x", "👩\u200d👧x"},
	{"é\rab", "ab"},
	{"aé\tb", "aé      b"},
	{"a表\n表b␛[A\rc", "c表\n表b"},
	{"e\u0301\nx␛[A\r␛[Cy", "e\u0301y\nx"},
	// nothing is left at the end: what was seen before
	{"\r 50%\r100%\r", "100%"},
	{"\r 50%\r100%\r␛[K", "100%"},
	{"\r 50%\r100%\r␛[2K\r", "100%"},
	{"\r 50%\r100%\r    \r", "100%"},
	{"one\ntwo␛[2J", "one\ntwo"},
	{"␛[H␛[2Jframe 1\nleft␛[H␛[2Jframe 2\nright\n␛[H␛[2J␛[?25h\n", "frame 2\nright"},
	{"a 漢字\r␛[K", "a 漢字"},
	{"e\u0301\r␛[K", "e\u0301"},
	{"a\tb \n ␛[3J", "a       b"},
	{"100%\r␛[Kdone", "done"},
	{"kept\n100%\r␛[K", "kept"},
	{" \r␛[2J\n", ""},
	{"\xe6\x97␛[2K", "\uFFFD\uFFFD"},
	// bytes that are no characters
	{"a\xffb\r\n", "a\uFFFDb"},
	{"a\xe8\xa1b", "a\uFFFD\uFFFDb"},
	{"a\xe8\xa1", "a"},
}

func TestRender(t *testing.T) {
	for _, c := range cases {
		in := strings.NewReplacer("␛", "\x1b", "␇", "\a").Replace(c.in)
		if got := string(Render([]byte("before"), []byte(in))); got != "before"+c.want {
			t.Errorf("%q\n shows %q\n  want %q", c.in, got, "before"+c.want)
		}
		for _, size := range []int{1, 2, 3, 5} {
			if got := inPieces(in, size); got != "" && got != c.want {
				t.Errorf("%q in pieces of %d\n shows %q\n  want %q", c.in, size, got, c.want)
			}
		}
		if again := string(Render(nil, []byte(c.want))); again != c.want {
			t.Errorf("%q is shown as %q when it is rendered again", c.want, again)
		}
	}
}

// inPieces renders a text that comes in pieces.
func inPieces(text string, size int) string {
	var s screen
	for len(text) > 0 {
		n := min(size, len(text))
		_, _ = s.Write([]byte(text[:n])) // it never fails
		text = text[n:]
	}
	return string(s.AppendTo(nil))
}

func TestMovesReachOnlySoFar(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	for _, c := range []struct {
		name, in string
		rows     int    // of the result
		last     string // its last row
	}{
		{"down", "a\x1b[999999999Bb", 201, " b"},
		{"down by a line", "a\x1b[999999999Eb", 201, "b"},
		{"down, again without writing", "a\x1b[150B\x1b[150B\x1b[999999999Bb", 201, " b"},
		{"down, again with writing", "a\x1b[150Bb\x1b[150Bc", 301, "  c"},
		{"to a row", "a\x1b[999999999;1Hb", 201, "b"},
		{"right", "a\x1b[999999999Cb", 1, "a" + strings.Repeat(" ", 4094) + "b"},
		{"to a column", "\x1b[5000Gb", 1, strings.Repeat(" ", 4095) + "b"},
		{"right, where the row is longer", strings.Repeat("a", 5000) + "\x1b[9Cb", 1, strings.Repeat("a", 5000) + "b"},
		{"up", lines(100) + "\x1b[999999999Ab", 100, "x"},
		{"tabs, as often as they come", strings.Repeat("\tx\n", 200_000), 200_000, "        x"},
		{"line feeds below what is written", "a\x1b[B" + strings.Repeat("\n", 1000) + "b", 1002, "b"},
	} {
		got := strings.Split(string(Render(nil, []byte(c.in))), "\n")
		if len(got) != c.rows || got[len(got)-1] != c.last {
			t.Errorf("%s: %d rows, the last %.40q; want %d, %.40q", c.name, len(got), got[len(got)-1], c.rows, c.last)
		}
	}
}

func TestRowsFarAboveAreOutOfReach(t *testing.T) {
	const rows = 3*maxAbove + 10
	in := strings.Repeat("x\n", rows) + "last\x1b[999999Ay\x1b[2;1Hz\x1b[1Jw"
	got := strings.Split(string(Render(nil, []byte(in))), "\n")
	first := rows - maxAbove // the last row has the number rows
	if len(got) != rows+1 || got[first-1] != "x" || got[first] != " w  y" || got[first+1] != "x" {
		t.Errorf("%d rows; around the first one in reach: %q", len(got), got[first-1:first+2])
	}
}

func TestShownLeavesAloneWhatHasNothingToRender(t *testing.T) {
	for _, c := range []struct {
		text, want string
		rendered   bool
	}{
		{"", "", false},
		{"a\tb  \n\n", "a\tb  \n\n", false},
		{"a\r\nb\r\n", "a\r\nb\r\n", false},
		{"a\r", "a\r", false},
		{"a\rb", "b", true},
		{"a\r\r\nb", "a\nb", true},
		{"\x1b[1ma\x1b[m", "a", true},
		{"ab\bc", "ac", true},
	} {
		if got, rendered := Shown(c.text); got != c.want || rendered != c.rendered {
			t.Errorf("Shown(%q) = %q, %v", c.text, got, rendered)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		chars string
		want  int
	}{
		{"é\u00adжאقก─█→≤€\u2028\uFFFD\uE000", 1},
		{"\u0301\u0336\u200d\u200b\ufe0f\u20dd\u2cef\u1160\u11ff\U000e0100", 0},
		{"表あ한、！\u3000⌚✅⭐🙂\U00020000ᄀ", 2},
	} {
		for _, r := range c.chars {
			if got := width(r); got != c.want {
				t.Errorf("%q (%U) takes %d columns, want %d", r, r, got, c.want)
			}
		}
	}
}
