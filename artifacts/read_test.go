package artifacts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/storetest"
)

func read(t testing.TB, c artifacts.Content, s artifacts.Selection) artifacts.Page {
	t.Helper()
	p, err := artifacts.Read(c, s)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return p
}

// readAll follows Next from s on and returns the joined texts and the number of pages.
func readAll(t testing.TB, c artifacts.Content, s artifacts.Selection) (text string, pages int) {
	t.Helper()
	var b strings.Builder
	for next := &s; next != nil; pages++ {
		if pages > 100_000 {
			t.Fatalf("%+v: no end", s)
		}
		p := read(t, c, *next)
		b.WriteString(p.Text)
		next = p.Next
	}
	return b.String(), pages
}

func TestReadingByLinesAndBytes(t *testing.T) {
	const text = "one\ntwo\nthrée\n\nfive\r\nsix"
	cases := []struct {
		name        string
		s           artifacts.Selection
		text, words string
	}{
		{"from the start", artifacts.Selection{}, text, "lines 1-6"},
		{"a range", artifacts.Selection{Lines: "2-3"}, "two\nthrée\n", "lines 2-3"},
		{"one line", artifacts.Selection{Lines: "4"}, "\n", "line 4"},
		{"to the end", artifacts.Selection{Lines: " 5 - "}, "five\r\nsix", "lines 5-6"},
		{"beyond the end", artifacts.Selection{Lines: "5-900"}, "five\r\nsix", "lines 5-6"},
		{"head", artifacts.Selection{Head: 2}, "one\ntwo\n", "lines 1-2"},
		{"more head than lines", artifacts.Selection{Head: 1 << 40}, text, "lines 1-6"},
		{"tail", artifacts.Selection{Tail: 2}, "five\r\nsix", "lines 5-6"},
		{"more tail than lines", artifacts.Selection{Tail: 7}, text, "lines 1-6"},
		{"bytes", artifacts.Selection{Bytes: "4-6"}, "two", "bytes 4-6"},
		{"one byte", artifacts.Selection{Bytes: "4"}, "t", "bytes 4-4"},
		{"bytes to the end", artifacts.Selection{Bytes: "22-"}, "six", "bytes 22-24"},
		{"bytes that end inside a character", artifacts.Selection{Bytes: "8-11"}, "thré", "bytes 8-12"},
		{"bytes that start inside a character", artifacts.Selection{Bytes: "12-14"}, "e\n", "bytes 13-14"},
		{"bytes inside one character", artifacts.Selection{Bytes: "12"}, "", "inside one character, which starts " +
			"before these bytes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, artifacts.Text([]byte(text)), c.s)
			if p.Text != c.text || p.Range != c.words || p.Next != nil {
				t.Errorf("got %q, %q, next %+v", p.Text, p.Range, p.Next)
			}
			if p.TotalLines != 6 || p.TotalBytes != int64(len(text)) {
				t.Errorf("totals %d, %d", p.TotalLines, p.TotalBytes)
			}
		})
	}
}

func TestReadingNothing(t *testing.T) {
	empty := artifacts.Text(nil)
	for _, s := range []artifacts.Selection{{}, {Head: 3}, {Tail: 3}} {
		if p := read(t, empty, s); p.Text != "" || p.Range != "empty" || p.Next != nil {
			t.Errorf("%+v: got %+v", s, p)
		}
	}
	if p := read(t, empty, artifacts.Selection{Grep: "x"}); p.Range != "0 matches" {
		t.Errorf("got %+v", p)
	}
	if p := read(t, empty, artifacts.Selection{Search: "x"}); p.Range != "0 passages" {
		t.Errorf("got %+v", p)
	}
}

func TestBadSelectionsShowTheRightForm(t *testing.T) {
	cases := []struct {
		name string
		s    artifacts.Selection
		has  string
	}{
		{"two selections", artifacts.Selection{Lines: "1-2", Grep: "x"}, "`lines` and `grep` were given"},
		{"head and tail", artifacts.Selection{Head: 1, Tail: 1}, "only one selection"},
		{"words for lines", artifacts.Selection{Lines: "ten"}, `lines="10-40"`},
		{"line 0", artifacts.Selection{Lines: "0-5"}, "start at 1"},
		{"negative lines", artifacts.Selection{Lines: "-5"}, `lines="10-40"`},
		{"backwards lines", artifacts.Selection{Lines: "9-5"}, `lines="9-5" runs backwards; the hint: the right form: lines="5-9"`},
		{"lines past the end", artifacts.Selection{Lines: "101-"}, "there are 100 lines"},
		{"number too large", artifacts.Selection{Lines: "1-99999999999999999999"}, `lines="10-40"`},
		{"backwards bytes", artifacts.Selection{Bytes: "9-5"}, `bytes="0-4095"`},
		{"bytes past the end", artifacts.Selection{Bytes: "5000-"}, "there are 792 bytes"},
		{"huge byte offset", artifacts.Selection{Bytes: "9223372036854775807-"}, "past the end"},
		{"negative head", artifacts.Selection{Head: -1}, "of 1 or more"},
		{"negative tail", artifacts.Selection{Tail: -1}, "of 1 or more"},
		{"negative limit", artifacts.Selection{Limit: -1}, "1 to 40,000"},
		{"huge limit", artifacts.Selection{Limit: 40_001}, "1 to 40,000"},
		{"context alone", artifacts.Selection{Context: 2}, "context=2 requires `grep`"},
		{"negative context", artifacts.Selection{Grep: "x", Context: -1}, "0 to 100"},
		{"huge context", artifacts.Selection{Grep: "x", Context: 101}, "0 to 100"},
		{"after alone", artifacts.Selection{After: 2}, "needs `grep`, `json_path` or `search`"},
		{"negative after", artifacts.Selection{Grep: "x", After: -2}, "never negative"},
		{"broken pattern", artifacts.Selection{Grep: "("}, `grep="(" is not an RE2 regular expression (no look-around, ` +
			"no back references): missing closing ): `(`"},
		{"look-around", artifacts.Selection{Grep: "(?=x)"}, "no look-around"},
		{"long pattern", artifacts.Selection{Grep: strings.Repeat("x", 1001)}, "limit of 1000"},
		{"search without words", artifacts.Selection{Search: "?!"}, "contains no word"},
		{"search far behind", artifacts.Selection{Search: "line", After: 1001}, "narrow the search"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := artifacts.Read(artifacts.Text([]byte(numbered(100))), c.s)
			wantFault(t, err, fault.Invalid)
			if said := err.Error() + "; the hint: " + fault.HintOf(err); !strings.Contains(said, c.has) ||
				!strings.Contains(said, "the hint: the right form: ") {
				t.Errorf("%q lacks %q", said, c.has)
			}
		})
	}
}

func TestPagesAreCutAtLineBordersAndContinueThere(t *testing.T) {
	c := artifacts.Text([]byte(numbered(20)))
	p := read(t, c, artifacts.Selection{Limit: 20})
	if p.Text != "line 1\nline 2\n" || p.Range != "lines 1-2" ||
		*p.Next != (artifacts.Selection{Lines: "3-", Limit: 20}) {
		t.Errorf("got %+v, next %+v", p, p.Next)
	}
	p = read(t, c, artifacts.Selection{Lines: "2-4", Limit: 7})
	if p.Text != "line 2\n" || *p.Next != (artifacts.Selection{Lines: "3-4", Limit: 7}) {
		t.Errorf("got %+v, next %+v", p, p.Next)
	}
	p = read(t, c, artifacts.Selection{Tail: 3, Limit: 8})
	if p.Text != "line 18\n" || p.Next.Lines != "19-" {
		t.Errorf("got %+v, next %+v", p, p.Next)
	}
	p = read(t, c, artifacts.Selection{Lines: "2-4", Limit: 3})
	if p.Text != "lin" || p.Range != "line 2, bytes 7-9" || *p.Next != (artifacts.Selection{Bytes: "10-27", Limit: 3}) {
		t.Errorf("got %+v, next %+v", p, p.Next)
	}
}

func TestThePageHasTheDefaultLimit(t *testing.T) {
	p := read(t, artifacts.Text([]byte(strings.Repeat("é", 20_000))), artifacts.Selection{})
	if n := utf8.RuneCountInString(p.Text); n != limits.ArtifactText {
		t.Errorf("%d characters", n)
	}
}

func TestPagesKeepTogetherWhatIsOneCharacterToTheEye(t *testing.T) {
	for _, text := range []string{"ae\u0301x", "a👩\u200d🚀x", "a\r\nx"} {
		p := read(t, artifacts.Text([]byte(text)), artifacts.Selection{Limit: 2})
		if p.Text != "a" {
			t.Errorf("%q was cut to %q", text, p.Text)
		}
	}
	// Nothing but marks: the page is cut all the same.
	text, _ := readAll(t, artifacts.Text([]byte(strings.Repeat("\u0301", 50))), artifacts.Selection{Limit: 7})
	if text != strings.Repeat("\u0301", 50) {
		t.Error("marks were lost")
	}
}

// samples are contents with what makes paging hard.
func samples() map[string]string {
	r := rand.New(rand.NewPCG(1, 2))
	var mixed strings.Builder
	for range 1000 {
		mixed.WriteString([]string{"a", "é", "日本", "👩\u200d🚀", "e\u0301", "\n", "\r\n", " ", "word"}[r.IntN(9)])
	}
	return map[string]string{
		"lines":                numbered(700),
		"one long line":        strings.Repeat("0123456789", 300),
		"one long line, ended": strings.Repeat("日", 1000) + "\n",
		"long and short":       numbered(5) + strings.Repeat("x", 1500) + "\n" + numbered(5),
		"empty lines":          strings.Repeat("\n", 500),
		"mixed":                mixed.String(),
	}
}

func TestInvariant2PagesJoinToTheOriginal(t *testing.T) {
	selections := []artifacts.Selection{{}, {Lines: "1-"}, {Lines: "1-100000"}, {Bytes: "0-"}, {Bytes: "0-99999"},
		{Head: 9999}, {Tail: 9999}}
	for name, text := range samples() {
		c := artifacts.Text([]byte(text))
		for _, s := range selections {
			for _, limit := range []int{1, 7, 80, 1000, 0, 40_000} {
				s.Limit = limit
				if got, pages := readAll(t, c, s); got != text {
					t.Errorf("%s, %+v: %d pages join to %d bytes instead of %d", name, s, pages, len(got), len(text))
				}
			}
		}
	}
}

func TestNeighbouringByteRangesJoin(t *testing.T) {
	text := samples()["mixed"]
	c := artifacts.Text([]byte(text))
	for step := 1; step < 12; step++ {
		var got strings.Builder
		for from := 0; from < len(text); from += step {
			got.WriteString(read(t, c, artifacts.Selection{Bytes: fmt.Sprintf("%d-%d", from, from+step-1)}).Text)
		}
		if got.String() != text {
			t.Errorf("ranges of %d bytes do not join", step)
		}
	}
}

func TestInvalidBytesAreShownAsReplacementCharacters(t *testing.T) {
	c := artifacts.Text([]byte("a\xff\xfeb\xc3\n\xe6\x97"))
	for _, limit := range []int{1, 2, 3, 100} {
		if got, _ := readAll(t, c, artifacts.Selection{Limit: limit}); got != "a\uFFFD\uFFFDb\uFFFD\n\uFFFD\uFFFD" {
			t.Errorf("limit %d: got %q", limit, got)
		}
	}
}

func TestReadingABlobOfTheStore(t *testing.T) {
	s := storetest.Open(t)
	text := strings.Repeat(numbered(100), 1000) // several frames
	ref, err := s.PutBlob(context.Background(), strings.NewReader(text), limits.Blob)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.OpenBlob(context.Background(), ref.Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := artifacts.Blob(b)
	if got, pages := readAll(t, c, artifacts.Selection{Limit: 40_000}); got != text || pages < 2 {
		t.Errorf("%d pages join to %d bytes instead of %d", pages, len(got), len(text))
	}
	if p := read(t, c, artifacts.Selection{Lines: "99999-"}); p.Text != "line 99\nline 100\n" {
		t.Errorf("got %q", p.Text)
	}
	if p := read(t, c, artifacts.Selection{Grep: "^line 77$"}); !strings.HasPrefix(p.Text,
		"77:line 77\n177:line 77\n") || !strings.HasSuffix(p.Range, " of 1,000 matches") {
		t.Errorf("got %q %q", p.Range, p.Text[:40])
	}
}

func FuzzInvariant2PagesJoin(f *testing.F) {
	for _, text := range samples() {
		f.Add([]byte(text), 5, uint8(0), 3, 40)
	}
	f.Add([]byte("\xf0\x9f\x91"), 1, uint8(2), 1, 2)
	f.Fuzz(func(t *testing.T, b []byte, limit int, kind uint8, from, to int) {
		if limit < 1 || limit > 40_000 || len(b) == 0 || len(b)/limit > 3000 || from < 0 || to < from ||
			from >= len(b) {
			return
		}
		c := artifacts.Text(b)
		want := b
		s := artifacts.Selection{Limit: limit}
		switch kind % 3 {
		case 1:
			lines := strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n")
			if from >= len(lines) {
				return
			}
			first, _ := c.LineOffset(int64(from))
			last, _ := c.LineOffset(min(int64(to)+1, c.Lines()))
			want = b[first:last]
			s.Lines = fmt.Sprintf("%d-%d", from+1, to+1)
		case 2:
			if !utf8.Valid(b) {
				return // where a character starts is clear only in UTF-8
			}
			for from < len(b) && !utf8.RuneStart(b[from]) {
				from++
			}
			if to++; to > len(b) {
				to = len(b)
			}
			for to < len(b) && !utf8.RuneStart(b[to]) {
				to++
			}
			if from >= to {
				return
			}
			want = b[from:to]
			s.Bytes = fmt.Sprintf("%d-%d", from, to-1)
		}
		if got, _ := readAll(t, c, s); got != string([]rune(string(want))) {
			t.Fatalf("%+v: got %q, want %q", s, got, want)
		}
	})
}
