package tokens

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// splitCase is one row of the table of corner cases: a text, its pieces and its number of
// tokens, as the reference has them.
type splitCase struct {
	o200k  string // pieces joined by ¦
	nO200k int
	cl100k string // "" for the same pieces
	nCL    int
}

var splitCases = []splitCase{
	{"don't", 1, "don¦'t", 2},
	{"DON'T", 2, "DON¦'T", 2},
	{"we'LL¦x", 4, "we¦'LL¦x", 4},
	{"it's¦'", 2, "it¦'s¦'", 3},
	{"a'\u017F", 3, "a¦'\u017F", 4},
	{"'\u017Fx", 3, "'\u017F¦x", 4},
	{"HTTPServer", 2, "", 2},
	{"camel¦Case", 2, "camelCase", 2},
	{"i¦Phone¦123¦45", 4, "iPhone¦123¦45", 3},
	{"foo¦_bar", 2, "", 2},
	{"a¦\u0085b", 4, "", 4},
	{"a¦\u0085¦\u0085b", 6, "", 6},
	{"\uFEFFpackage", 2, "", 2},
	{"a¦\uFEFF¦ b", 3, "", 3},
	{"\u00A0x", 2, "", 2},
	{"\t¦\tfoo", 3, "", 3},
	{" ¦ foo", 2, "", 2},
	{"  ¦ ¦12", 3, "", 3},
	{"a¦\n \n¦b", 3, "", 3},
	{"}\n//¦x", 2, "}\n¦//¦x", 3},
	{"}\r\n\r\n/", 1, "}\r\n\r\n¦/", 2},
	{"if¦ (¦x¦)¦ {\n¦\t¦\ty", 7, "", 7},
	{"x¦\n¦  ", 3, "", 3},
	{"x¦  ", 2, "", 2},
	{"e\u0301t\u0301", 4, "e¦\u0301t¦\u0301", 4},
	{"!!\u0301¦a", 3, "", 3},
	{"\u01C5a", 3, "", 3},
	{"\u0661\u0662\u0663¦\u0664", 4, "", 8},
	{"\u4E2D\u6587¦ABC", 2, "\u4E2D\u6587ABC", 3},
	{"\u4E2D\u6587abc", 2, "", 3},
	{"\u2028¦\u2028x", 3, "", 5},
	{"\U0001F600\U0001F3FD", 3, "", 5},
	{"\u0301¦ABC", 2, "\u0301ABC", 2},
	{"ABC\u0301", 2, "ABC¦\u0301", 2},
	{"A\u0301¦B", 3, "A¦\u0301B", 3},
	{"\u00A0\u0301", 2, "\u00A0¦\u0301", 2},
	{"\u0085\u0301x", 4, "\u0085¦\u0301x", 4},
	{" ¦ \u0301", 3, "", 3},
	{"#\u4E2D¦A", 3, "#\u4E2DA", 3},
	{"9¦'s", 2, "", 2},
	{" '¦tis", 2, "", 3},
	{"\t¦'tis", 3, "\t¦'t¦is", 3},
	{"''¦s", 2, "", 2},
	{"http¦://¦x", 3, "", 3},
	{"<|¦endoftext¦|>", 7, "", 7},
}

// pieces yields the pieces of text in order; joined they are the text.
func (t *tokenizer) pieces(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for start := 0; start < len(text); {
			end := t.next(text, start)
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
	}
}

// splitWith joins the pieces of text that next finds.
func splitWith(scan func([]byte, int) int, text string) string {
	t := &tokenizer{scan: scan}
	var pieces []string
	for piece := range t.pieces([]byte(text)) {
		pieces = append(pieces, string(piece))
	}
	return strings.Join(pieces, "¦")
}

func TestCornerCasesSplitAndCountAsTheReference(t *testing.T) {
	for _, c := range splitCases {
		text := strings.ReplaceAll(c.o200k, "¦", "")
		if c.cl100k == "" {
			c.cl100k = c.o200k
		}
		for _, want := range []struct {
			e      *Encoding
			pieces string
			n      int
		}{{O200kBase, c.o200k, c.nO200k}, {CL100kBase, c.cl100k, c.nCL}} {
			if got := splitWith(want.e.tokenizer().scan, text); got != want.pieces {
				t.Errorf("%s: pieces of %+q: %+q, want %+q", want.e, text, got, want.pieces)
			}
			if got := want.e.CountString(text); got != want.n {
				t.Errorf("%s: count of %+q = %d, want %d", want.e, text, got, want.n)
			}
		}
	}
}

func TestScannerOfASCIIAgreesWithTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ascii := slices.DeleteFunc(slices.Clone(alphabet), func(s string) bool { return s[0] >= 0x80 })
	for i := range 40_000 {
		text := randomText(rng, 1+rng.IntN(12), ascii)
		if i%2 == 0 {
			text = randomText(rng, 1+rng.IntN(12), ascii, ascii, alphabet, invalid)
		}
		for _, s := range []struct {
			e    *Encoding
			rune func([]byte, int) int
		}{{O200kBase, classes().runeO200k}, {CL100kBase, classes().runeCL100k}} {
			want := splitWith(s.rune, text)
			if got := splitWith(s.e.tokenizer().scan, text); got != want {
				t.Fatalf("%s: pieces of %+q: %+q, the definition gives %+q", s.e, text, got, want)
			}
		}
	}
}

func TestPiecesBeyondTheLimitAreCut(t *testing.T) {
	endless := &tokenizer{scan: func([]byte, int) int { return 2 * maxPiece }}
	if got := endless.next(nil, 7); got != 7+maxPiece {
		t.Errorf("a piece ends at %d, want %d", got, 7+maxPiece)
	}
}
