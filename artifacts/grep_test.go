package artifacts_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
)

func TestGrepShowsMatchesAsGrepDoes(t *testing.T) {
	const text = "alpha\nbeta\ngamma\r\ndelta\nepsilon\nzeta\neta\ntheta"
	cases := []struct {
		name, pattern string
		context       int
		text, words   string
	}{
		{"plain", "ta$", 0, "2:beta\n4:delta\n6:zeta\n7:eta\n8:theta\n", "5 matches"},
		{"one match", "gam", 0, "3:gamma\n", "1 match"},
		{"none", "omega", 2, "", "0 matches"},
		{"context", "gamma", 1, "2-beta\n3:gamma\n4-delta\n", "1 match"},
		{"stretches", "alpha|zeta", 1, "1:alpha\n2-beta\n--\n5-epsilon\n6:zeta\n7-eta\n", "2 matches"},
		{"overlapping context is merged", "beta|delta", 2, "1-alpha\n2:beta\n3-gamma\n4:delta\n5-epsilon\n6-zeta\n",
			"2 matches"},
		{"touching context is merged", "alpha|delta", 1, "1:alpha\n2-beta\n3-gamma\n4:delta\n5-epsilon\n", "2 matches"},
		{"anchors are a line's", "^eta$", 0, "7:eta\n", "1 match"},
		{"flags", "(?i)GAMMA", 0, "3:gamma\n", "1 match"},
		{"no newline is matched", `eta\sth`, 0, "", "0 matches"},
		{"a match in the last line", "theta", 3, "5-epsilon\n6-zeta\n7-eta\n8:theta\n", "1 match"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, artifacts.Text([]byte(text)), artifacts.Selection{Grep: c.pattern, Context: c.context})
			if p.Text != c.text || p.Range != c.words || p.Next != nil {
				t.Errorf("got %q, %q, next %+v", p.Text, p.Range, p.Next)
			}
		})
	}
}

// TestGrepNamesTheMessage: of several messages, each is named before the first of its lines that is shown, on each page.
func TestGrepNamesTheMessage(t *testing.T) {
	a, b := artifacts.Heading("aa", 1, "tool", []string{"Read store.go"}), artifacts.Heading("bb", 2, "user", nil)
	lines := append([]string{a, "one", "x = 1", "x = 2"}, b, "two", "x = 3", strings.Repeat("x", 150), "x = 4")
	for _, c := range []struct {
		name  string
		of    artifacts.Selection
		shows string
	}{
		{"each once", artifacts.Selection{Grep: "x ="},
			"1-" + a + "\n3:x = 1\n4:x = 2\n5-" + b + "\n7:x = 3\n9:x = 4\n"},
		{"itself", artifacts.Selection{Grep: "store|two"}, "1:" + a + "\n5-" + b + "\n6:two\n"},
		{"again on the next page", artifacts.Selection{Grep: "x =", After: 7}, "5-" + b + "\n9:x = 4\n"},
		{"with lines around", artifacts.Selection{Grep: "x = 3", Context: 1}, "5-" + b + "\n6-two\n7:x = 3\n8-" +
			strings.Repeat("x", 150) + "\n"},
	} {
		if p := read(t, textOf(lines), c.of); p.Text != c.shows {
			t.Errorf("%s: %s\nnot\n%s", c.name, p.Text, c.shows)
		}
	}
}

// TestGrepOfAPath: a pattern matched in forty messages, and the file that was asked about was read in one of them.
func TestGrepOfAPath(t *testing.T) {
	a, b := artifacts.Heading("aa", 1, "tool", []string{"Read /w/plan.md"}), artifacts.Heading("bb", 2, "tool",
		[]string{"Read /w/setup_test.go"})
	lines := []string{a, "options", "more", b, "before", "options"}
	for _, c := range []struct{ name, path, shows, of string }{
		{"one file", "setup_test.go", "4-" + b + "\n5-before\n6:options\n", "1 match"},
		{"all of a directory", "/w/",
			"1-" + a + "\n2:options\n3-more\n--\n4-" + b + "\n5-before\n6:options\n", "2 matches"},
		{"none", "other.go", "1-" + a + "\n2:options\n3-more\n--\n4-" + b + "\n5-before\n6:options\n",
			"0 matches; without path: 2 matches"},
	} {
		p := read(t, textOf(lines), artifacts.Selection{Grep: "options", Context: 1, Path: c.path})
		if p.Text != c.shows || p.Range != c.of {
			t.Errorf("%s: %s\n%s\nnot %s\n%s", c.name, p.Range, p.Text, c.of, c.shows)
		}
	}
	_, err := artifacts.Read(textOf(lines[1:3]), artifacts.Selection{Grep: "options", Path: "setup_test.go"})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("a text without messages: %v", err)
	}
}

// TestGrepLooksForTheName: what a method has before its name was not in the pattern, and there was nothing to go on with.
func TestGrepLooksForTheName(t *testing.T) {
	c := textOf([]string{"func (s *Strategy) hasCodeChanges() bool {", "x"})
	for _, test := range []struct{ pattern, text, of string }{
		{`func hasCodeChanges\(`, "1:func (s *Strategy) hasCodeChanges() bool {\n",
			"0 matches; for (?i)hasCodeChanges: 1 match"},
		{`\bHASCODE`, "1:func (s *Strategy) hasCodeChanges() bool {\n", "0 matches; for (?i)HASCODE: 1 match"},
		{"nothing of this|that", "", "0 matches"},
		{"^z$", "", "0 matches"},
	} {
		if p := read(t, c, artifacts.Selection{Grep: test.pattern}); p.Text != test.text || p.Range != test.of {
			t.Errorf("%s: %s\n%s", test.pattern, p.Range, p.Text)
		}
	}
}

// TestGrepNamesTheLineThatAMessageRepeats: eight lines of a conversation had a word, five of them the same line of one file,
// and the one that was looked for was on the next page. To add a case, add a row; "/" separates messages, "," lines.
func TestGrepNamesTheLineThatAMessageRepeats(t *testing.T) {
	const long = "each issue has a severity that is CRITICAL or WARNING"
	for _, c := range []struct{ name, messages, shows string }{
		{"numbered, and in a diff", "  7→" + long + "/12\t" + long + "/+ " + long,
			"2:  7→" + long + "\n3-[message b, turn 2, tool]\n4:(as line 2)\n5-[message c, turn 3, tool]\n6:(as line 2)\n"},
		{"without the lines around it", "x," + long + ",x/x," + long + ",x", "2-x\n3:" + long + "\n4-x\n--\n" +
			"5-[message b, turn 2, tool]\n7:(as line 3)\n"},
		{"with those that changed", "x," + long + ",x/y," + long + ",y", "2-x\n3:" + long + "\n4-x\n--\n" +
			"5-[message b, turn 2, tool]\n6-y\n7:(as line 3)\n8-y\n"},
		{"in one message", long + "," + long, "2:" + long + "\n3:" + long + "\n"},
		{"a short one is news", "FAIL: CRITICAL/FAIL: CRITICAL",
			"2:FAIL: CRITICAL\n3-[message b, turn 2, tool]\n4:FAIL: CRITICAL\n"},
	} {
		var lines []string
		for i, m := range strings.Split(c.messages, "/") {
			lines = append(lines, artifacts.Heading(string(rune('a'+i)), i+1, "tool", nil))
			lines = append(lines, strings.Split(m, ",")...)
		}
		context := min(1, strings.Count(c.messages, "x"))
		p := read(t, textOf(lines), artifacts.Selection{Grep: "CRITICAL", Context: context})
		if got := strings.TrimPrefix(p.Text, "1-"+lines[0]+"\n"); got != c.shows {
			t.Errorf("%s:\n%s\nnot\n%s", c.name, got, c.shows)
		}
	}
}

func TestGrepPagesShowEveryMatchOnce(t *testing.T) {
	c := artifacts.Text([]byte(numbered(1000)))
	p := read(t, c, artifacts.Selection{Grep: "7", Limit: 200})
	if !strings.HasSuffix(p.Range, " of 271 matches") || p.Next.After != 87 {
		t.Errorf("got %q, next %+v, text %q", p.Range, p.Next, p.Text)
	}
	p = read(t, c, *p.Next)
	if !strings.HasPrefix(p.Range, "matches 19-33 ") || !strings.HasPrefix(p.Text, "97:line 97\n") {
		t.Errorf("got %q %q", p.Range, p.Text)
	}
	all, _ := readAll(t, c, artifacts.Selection{Grep: "7", Limit: 200})
	if n := strings.Count(all, ":"); n != 271 {
		t.Errorf("%d matches", n)
	}
}

func TestGrepInOneLongLineShowsWhereItMatched(t *testing.T) {
	line := strings.Repeat("日", 40_000) + "NEEDLE" + strings.Repeat("x", 60_000) + "END"
	c := artifacts.Text([]byte(line))
	p := read(t, c, artifacts.Selection{Grep: "NEEDLE"})
	if !strings.HasPrefix(p.Text, "1:…[38,667 chars cut]…日") || !strings.Contains(p.Text, "日NEEDLEx") ||
		!strings.HasSuffix(p.Text, "x…[57,342 chars cut]…\n") {
		t.Errorf("got %.80q … %q", p.Text, p.Text[len(p.Text)-80:])
	}
	p = read(t, c, artifacts.Selection{Grep: "END$"})
	if !strings.HasSuffix(p.Text, "xEND\n") || utf8.RuneCountInString(p.Text) < 1000 {
		t.Errorf("got %q", p.Text)
	}
}

// TestGrepShowsMoreOfLongLinesWhereFewMatch: of a page for 5,000 characters, a match in a line of JSON took 1,000, and the
// answer was in the part of that line that was cut.
func TestGrepShowsMoreOfLongLinesWhereFewMatch(t *testing.T) {
	line := strings.Repeat("x", 9000) + "NEEDLE" + strings.Repeat("y", 9000) + "\n"
	for _, c := range []struct{ lines, limit, least, most int }{
		{1, 5000, 4000, 4100},
		{2, 5000, 4800, 5000},
		{4, 5000, 4800, 5000},
		{30, 5000, 4000, 5000}, // no page has all of them
		{1, 800, 700, 800},
	} {
		p := read(t, artifacts.Text([]byte(strings.Repeat(line, c.lines))),
			artifacts.Selection{Grep: "NEEDLE", Limit: c.limit})
		if n := utf8.RuneCountInString(p.Text); n < c.least || n > c.most || !strings.Contains(p.Text, "xNEEDLEy") {
			t.Errorf("%+v: %d characters, %s", c, n, p.Range)
		}
	}
}

// TestGrepShowsSeveralMatchesOfALongLine: an answer in JSON is one line, and only the first review in it was shown.
func TestGrepShowsSeveralMatchesOfALongLine(t *testing.T) {
	far := strings.Repeat("x", 5000)
	for _, c := range []struct {
		line, shows string
		limit       int
	}{
		{far + "review 1" + far + "review 2" + far, `CUTx+review 1x+CUTx+review 2x+CUT`, 5000},
		{far + "review 1, review 2" + far, `CUTx+review 1, review 2x+CUT`, 5000},
		{"日review 1" + strings.Repeat("日", 5000) + "review 2日", `日review 1日+CUT日+review 2日`, 5000},
		{far + "review 1" + far + "review 2" + far, `CUTx+review 1x+CUT`, 300},
	} {
		p := read(t, artifacts.Text([]byte(c.line)), artifacts.Selection{Grep: `review \d`, Limit: c.limit})
		want := "^1:" + strings.ReplaceAll(c.shows, "CUT", `…\[[\d,]+ chars cut\]…`) + "\n$"
		if !regexp.MustCompile(want).MatchString(p.Text) || utf8.RuneCountInString(p.Text) > c.limit {
			t.Errorf("%.20s… of %d: %.2000s", c.line, c.limit, p.Text)
		}
	}
}

// TestAPageShowsAMatchWhateverItsLimit: with the marks between the parts around twenty matches, a line did not fit the page
// that it was made for, and the next page was the same again.
func TestAPageShowsAMatchWhateverItsLimit(t *testing.T) {
	line := strings.Repeat(strings.Repeat("x", 2000)+"NEEDLE", 20)
	for limit := 200; limit <= 6000; limit += 20 {
		p := read(t, artifacts.Text([]byte(line)), artifacts.Selection{Grep: "NEEDLE", Limit: limit})
		if n := utf8.RuneCountInString(p.Text); n > limit || !strings.Contains(p.Text, "NEEDLE") || p.Next != nil {
			t.Errorf("of %d characters: %d, %s, next %+v", limit, n, p.Range, p.Next)
		}
	}
}

func TestGrepInALineOverTheCapSearchesItsPieces(t *testing.T) {
	const piece = 16 << 20
	text := strings.Repeat("x", piece+100) + "NEEDLE\nnext NEEDLE\n"
	p := read(t, artifacts.Text([]byte(text)), artifacts.Selection{Grep: "NEEDLE", Context: 1})
	if p.Range != "2 matches" || !strings.HasPrefix(p.Text, "1:") || !strings.HasSuffix(p.Text, "\n2:next NEEDLE\n") {
		t.Errorf("got %q %q", p.Range, p.Text)
	}
}

// plainGrep is grep as one would write it with everything in memory.
func plainGrep(text string, re *regexp.Regexp, context int) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	mark := make([]byte, len(lines))
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
		if !re.MatchString(lines[i]) {
			continue
		}
		for j := max(0, i-min(context, 10)); j <= min(len(lines)-1, i+context); j++ {
			if mark[j] == 0 {
				mark[j] = '-'
			}
		}
		mark[i] = ':'
	}
	var out []string
	for i, m := range mark {
		if m != 0 {
			out = append(out, fmt.Sprintf("%d%c%s", i+1, m, string([]rune(lines[i]))))
		}
	}
	return out
}

func FuzzGrepAgreesWithThePlainWay(f *testing.F) {
	f.Add(numbered(300), "7", uint8(2), 250)
	f.Add("a\n\nb\r\n\xff\n", "^$", uint8(1), 0)
	f.Add(strings.Repeat("x\n", 40_000), "x", uint8(0), 40_000)
	f.Fuzz(func(t *testing.T, text, pattern string, context uint8, limit int) {
		re, err := regexp.Compile(pattern)
		if err != nil || pattern == "" || len(pattern) > 100 || context > 100 || limit < 0 || limit > 40_000 {
			return
		}
		long := strings.Repeat(strings.ReplaceAll(text[:min(len(text), 1000)], "\n", " "), 10) + "x"
		p := read(t, artifacts.Text([]byte(long)), artifacts.Selection{Grep: pattern, Limit: limit})
		if n := utf8.RuneCountInString(p.Text); n > max(limit, 200) && limit > 0 {
			t.Fatalf("%d characters of %d", n, limit)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if len(line) > 100 {
				return // would be shortened
			}
		}
		got, _ := readAll(t, artifacts.Text([]byte(text)), artifacts.Selection{Grep: pattern, Context: int(context),
			Limit: limit})
		var rows []string
		for row := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
			if row != "--" && row != "" {
				rows = append(rows, row)
			}
		}
		want := plainGrep(text, re, int(context))
		if len(want) > 0 && strings.Join(rows, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got\n%q\nwant\n%q", rows, want)
		}
	})
}

func BenchmarkGrep(b *testing.B) {
	text := []byte(numbered(1_000_000))
	c := artifacts.Text(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		read(b, c, artifacts.Selection{Grep: "line 99999"})
	}
}
