package columns

import (
	"bytes"
	"strings"
	"testing"

	"ctxledger.dev/internal/chars"
)

func TestLineFitsItsColumns(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"  many\n\n lines\there ", 20, "many lines here"},
		{"exactly ten", 11, "exactly ten"},
		{"one too long", 11, "one too lo…"},
		{"买家和卖家", 10, "买家和卖家"},
		{"买家和卖家", 9, "买家和卖…"},
		{"买家和卖家", 8, "买家和…"},
		{"\x1b[1mx", 20, `\u001b[1mx`},
		{"", 5, ""},
	} {
		if got := Cut(c.in, c.n); got != c.want || Width(got) > c.n {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestFoldedRowsFitATerminal(t *testing.T) {
	const row = "view       ≈49,522 tokens are what ctxledger would send; a compaction of it is due"
	want := "view       ≈49,522 tokens are what\n           ctxledger would send; a\n           compaction of it is due"
	if got := Fold(row, 36, 11); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Fold(row, 200, 11); got != row {
		t.Errorf("%q is not broken where it fits", got)
	}
	// A command was broken at its hyphens, and a size between its figure and its unit.
	for text, want := range map[string]string{
		"with --reduce-all it is":      "with\n--reduce-all\nit is",
		"the file has 3.2 MB, ≈7 K of": "the file has\n3.2 MB, ≈7 K\nof",
		"no room for a-very-long-word": "no room for\na-very-long-word",
	} {
		if got := Fold(text, 13, 0); got != want {
			t.Errorf("%q", got)
		}
	}
}

// In a narrow terminal the columns that say least are left out, and the last cell is cut.
func TestTablesFitATerminal(t *testing.T) {
	for width, want := range map[int]string{
		0:  "ID  LEAST  LESS  TITLE\na   1      2     Get to know this shop\n",
		44: "ID  LEAST  LESS  TITLE\na   1      2     Get to know this shop\n",
		26: "ID  LESS  TITLE\na   2     Get to know thi…\n",
		18: "ID  TITLE\na   Get to know t…\n",
	} {
		tab := New(Cut, false, "ID", "LEAST", "LESS", "TITLE")
		tab.Add("a", "1", "2", "Get to know this shop")
		tab.Fit(width, 12, "LEAST", "LESS")
		var b bytes.Buffer
		if tab.Print(&b); b.String() != want {
			t.Errorf("%d columns:\n%swant\n%s", width, b.String(), want)
		}
	}
}

func TestBars(t *testing.T) {
	for share, want := range map[float64]string{-1: "░░░░", 0: "░░░░", 0.5: "██░░", 1: "████", 7: "████"} {
		if full, empty := Bars(share, 4); full+empty != want {
			t.Errorf("Bars(%v) = %q, want %q", share, full+empty, want)
		}
	}
}

func TestTablesAlignInEveryScript(t *testing.T) {
	tab := New(Cut, false, "NAME", ">N", "WHAT")
	tab.Indent = "  "
	tab.Add("ascii", "1", "x")
	tab.Add("买家", "22,000", "汉字")
	tab.Add("👩‍👩‍👧‍👦 emoji", "333", "evil \x1b[2J\nlines")
	tab.Add("é", "", strings.Repeat("long ", 40))
	var b bytes.Buffer
	tab.Print(&b)
	rows := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(rows) != 5 {
		t.Fatalf("%d lines:\n%s", len(rows), b.String())
	}
	column := -1
	for i, want := range []string{"WHAT", "x", "汉字", "evil", "long"} {
		before, _, ok := strings.Cut(rows[i], want)
		if at := Width(before); !ok || column >= 0 && at != column {
			t.Errorf("the last column of line %d is not where it should be:\n%s", i, b.String())
		} else {
			column = at
		}
		if strings.HasSuffix(rows[i], " ") || strings.ContainsFunc(rows[i], chars.Hostile) {
			t.Errorf("line %q", rows[i])
		}
	}
}

func TestAStyleTakesNoColumn(t *testing.T) {
	if got := Bold.Of("日本"); got != "\x1b[1m日本\x1b[m" || Width(got) != 4 {
		t.Errorf("%q has %d columns", got, Width(got))
	}
	if got := Faint.If(false).Of("x") + Blue.Of(""); got != "x" {
		t.Errorf("%q is not plain", got)
	}
}
