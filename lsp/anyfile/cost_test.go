package anyfile

import (
	"strings"
	"testing"

	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

func TestNumberedIsWhatACallShows(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "1\t"},
		{"lines", "# shop\n\nA small shop\n", "1\t# shop\n2\t\n3\tA small shop\n4\t"},
		{"other line ends", "a\r\nb", "1\ta\n2\tb"},
	} {
		if got := numbered(c.text); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// What reading costs ends where Claude Code's Read ends.
func TestReadingIsBounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines int
		read  int // tokens; -1: as many as there are
		cut   bool
	}{
		{"small", 100, -1, false},
		{"more tokens than one call returns", 7_000, readTokens, true},
		{"more bytes than it accepts", 16_000, 0, true},
	} {
		f := File{Text: text.New(tokens.O200kBase, []byte(strings.Repeat("These are words.\n", c.lines))),
			Meter: Meter{Counter: tokens.O200kBase.Counter()}, Use: live.File{Touched: true, Whole: true}}
		got := CostOf(f)
		if got.Cut != c.cut || c.read >= 0 && got.Read.N != c.read || c.read < 0 && got.Read.N <= got.Tokens.N {
			t.Errorf("%s: %+v", c.name, got)
		}
		if found := len(Findings(f, []string{LargeRead})) > 0; found != c.cut {
			t.Errorf("%s: found to be large: %v", c.name, found)
		}
		if f.Use.Whole = false; len(Findings(f, []string{LargeRead})) > 0 {
			t.Errorf("%s: found in a file that the session read in parts, or only wrote", c.name)
		}
		if f.Everywhere = true; len(Findings(f, []string{LargeRead})) > 0 != c.cut {
			t.Errorf("%s: everywhere it is found to be otherwise", c.name)
		}
	}
}

// TestAReadIsCountedAsTheText: once calibrated, a text with its line numbers could have less than the text, which was counted
// by its own features and the other by those of other texts.
func TestAReadIsCountedAsTheText(t *testing.T) {
	measured := tokens.NewEstimator("claude-opus-4-6")
	for range 20 {
		if !measured.Learn(tokens.FeaturesOf(strings.Repeat("some words\n", 500)), 1_700) {
			t.Fatal("nothing is learnt")
		}
	}
	counter := tokens.Builtin().For("claude-opus-4-6").With(measured)
	const code = "func f() {\n\treturn []int{1_000, 2_000}\n}\n"
	for _, body := range []string{code, strings.Repeat("alpha beta gamma ", 50)} {
		f := File{Text: text.New(tokens.O200kBase, []byte(body)), Meter: Meter{Counter: counter}}
		if got := CostOf(f); got.Read != counter.Count(numbered(body)) || got.Read.N <= got.Tokens.N {
			t.Errorf("%.20q has %v, and when read %v", body, got.Tokens, got.Read)
		}
	}
}

// TestPartsAreTheWhole: sections ended before their line end and blank lines, so those of a file added up to less than the file.
func TestPartsAreTheWhole(t *testing.T) {
	for _, c := range []struct {
		language outline.Language
		text     string
	}{
		{outline.Markdown, "# A\n\nSome words.\n\n\n# B\n\n- one\n- two\n\n# C.);\n"},
		{outline.Markdown, "# A\r\n\r\nSome words.\r\n  \r\n# B"},
		{outline.Indented, "def a():\n    return 1\n\n\ndef b():\n    return 2\n"},
	} {
		read := text.New(tokens.O200kBase, []byte(c.text))
		f := File{Text: read, Outline: outline.Of(c.language, read), Meter: Meter{Counter: tokens.O200kBase.Counter()}}
		sum := 0
		for i := range f.Outline.Len() {
			sum += f.cost(f.Outline.Section(i)).N
		}
		if whole := f.whole().N; f.Outline.Len() < 2 || sum != whole {
			t.Errorf("%q: %d sections have %d tokens, the file has %d", c.text, f.Outline.Len(), sum, whole)
		}
	}
}
