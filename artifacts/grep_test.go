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

func TestGrepFindsLines(t *testing.T) {
	const text = "alpha\nbeta\ngamma\r\ndelta\nepsilon\nzeta\neta\ntheta"
	for _, c := range []struct{ name, pattern, found, words string }{
		{"plain", "ta$", "2:beta\n4:delta\n6:zeta\n7:eta\n8:theta\n", "5 matches"},
		{"one match", "gam", "3:gamma\n", "1 match"},
		{"none", "omega", "", "0 matches"},
		{"anchors are a line's", "^eta$", "7:eta\n", "1 match"},
		{"flags", "(?i)GAMMA", "3:gamma\n", "1 match"},
		{"no newline is matched", `eta\sth`, "", "0 matches"},
		{"the last line", "theta", "8:theta\n", "1 match"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, artifacts.Text([]byte(text)), artifacts.Selection{Grep: c.pattern})
			around := regexp.MustCompile(`(?m)^\d+-.*\n`)
			if around.ReplaceAllString(p.Text, "") != c.found || p.Range != c.words || p.Next != nil {
				t.Errorf("got %q, %q, next %+v", p.Text, p.Range, p.Next)
			}
		})
	}
}

// TestGrepShowsLinesAround: readers asked for too few lines around a place, and half of the page was empty. Where it has room it
// shows more of them behind each match, and fewer before. Each line has 60 characters on the page: "8..9 10: 11" are the lines
// around line 10, which matches.
func TestGrepShowsLinesAround(t *testing.T) {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("%03d %s", i+1, strings.Repeat("x", 52)))
	}
	for _, c := range []struct {
		name, pattern  string
		context, limit int
		shows          string
	}{
		{"no room", "^0(10|50|90)", 0, 200, "10: 50: 90:"},
		{"as many as were asked for", "^010", 1, 200, "9 10: 11"},
		{"stretches", "^0(10|50)", 1, 400, "9 10: 11 -- 49 50: 51"},
		{"overlapping", "^01[02]", 2, 430, "8..9 10: 11 12: 13..14"},
		{"touching", "^01[03]", 1, 370, "9 10: 11..12 13: 14"},
		{"room for three more", "^010", 1, 400, "9 10: 11..14"},
		{"one before for four behind", "^010", 1, 500, "8..9 10: 11..15"},
		{"evenly", "^0(10|50)", 1, 500, "9 10: 11..12 -- 49 50: 51..52"},
		{"at most ten before and forty behind", "^100", 1, 8000, "90..99 100: 101..140"},
		{"more were asked for", "^100", 60, 8000, "90..99 100: 101..160"},
		{"none were asked for: forty in all", "^0[1-4]0", 0, 8000, "8..9 10: 11..19 20: 21..29 30: 31..39 40: 41..50"},
		{"at the ends", "^(001|200)", 3, 8000, "1: 2..41 -- 190..199 200:"},
	} {
		p := read(t, textOf(lines), artifacts.Selection{Grep: c.pattern, Context: c.context, Limit: c.limit,
			Fill: true})
		if got := rows(p.Text); got != c.shows || p.Next != nil {
			t.Errorf("%s: %s, not %s; next %+v", c.name, got, c.shows, p.Next)
		}
	}
}

// rows says which lines a page of grep shows.
func rows(page string) string {
	var out []string
	last := 0
	for row := range strings.SplitSeq(strings.TrimSuffix(page, "\n"), "\n") {
		var n int
		var kind rune
		_, _ = fmt.Sscanf(row, "%d%c", &n, &kind) // of a separator nothing
		switch {
		case n == 0:
			out = append(out, row)
		case kind == ':':
			out = append(out, fmt.Sprint(n, ":"))
		case last > 0 && n == last+1:
			first, _, _ := strings.Cut(out[len(out)-1], "..")
			out[len(out)-1] = fmt.Sprint(first, "..", n)
		default:
			out = append(out, fmt.Sprint(n))
		}
		if last = n; kind == ':' {
			last = 0
		}
	}
	return strings.Join(out, " ")
}

// TestGrepNamesTheMessage: of several messages, each is named before the first of its lines that is shown, on each page. The
// newest comes first: older texts of a file filled the page, and the one that was looked for was on the next.
func TestGrepNamesTheMessage(t *testing.T) {
	a, b := artifacts.Heading("aa", 1, "tool", []string{"Read store.go"}), artifacts.Heading("bb", 2, "user", nil)
	c := artifacts.Heading("cc", 3, "tool", []string{"read_artifact id: aa"})
	long := strings.Repeat("x", 150)
	lines := []string{a, long, "x = 1", "x = 2", b, long, "x = 3", long, "x = 4", c, long, "x = 2"}
	for _, c := range []struct {
		name  string
		of    artifacts.Selection
		shows string
		says  string
	}{
		{"the newest first, copies last", artifacts.Selection{Grep: "x =", Limit: 250},
			"5-" + b + "\n7:x = 3\n9:x = 4\n1-" + a + "\n3:x = 1\n4:x = 2\n10-" + c + "\n12:x = 2\n",
			"newest first: 5 matches"},
		{"itself", artifacts.Selection{Grep: "Read store|x = [34]", Limit: 200},
			"5-" + b + "\n7:x = 3\n9:x = 4\n1:" + a + "\n", "newest first: 3 matches"},
		{"older ones on the next page", artifacts.Selection{Grep: "x =", After: 7, Limit: 250},
			"5-" + b + "\n9:x = 4\n1-" + a + "\n3:x = 1\n4:x = 2\n10-" + c + "\n12:x = 2\n",
			"newest first: matches 2-5 of 5"},
		{"within an older one", artifacts.Selection{Grep: "x =", After: 3, Limit: 200},
			"1-" + a + "\n4:x = 2\n10-" + c + "\n12:x = 2\n", "newest first: matches 4-5 of 5"},
		{"behind all", artifacts.Selection{Grep: "x =", After: 12}, "", "newest first: 0 more of 5 matches"},
		{"not the lines of the next one", artifacts.Selection{Grep: "x = [24]", Context: 1, Limit: 500},
			"5-" + b + "\n8-" + long + "\n9:x = 4\n1-" + a + "\n3-x = 1\n4:x = 2\n10-" + c + "\n11-" + long +
				"\n12:x = 2\n", "newest first: 3 matches"},
	} {
		if p := read(t, textOf(lines), c.of); p.Text != c.shows || p.Range != c.says || p.Next != nil {
			t.Errorf("%s: %s\n%s\nnot\n%s", c.name, p.Range, p.Text, c.shows)
		}
	}
}

// TestGrepOfAPath: a pattern matched in forty messages, and the file that was asked about was read in one of them.
func TestGrepOfAPath(t *testing.T) {
	a, b := artifacts.Heading("aa", 1, "tool", []string{"Read /w/plan.md"}), artifacts.Heading("bb", 2, "tool",
		[]string{"Read /w/setup_test.go"})
	lines := []string{a, "options", "more", b, "before", "options"}
	older, newer := "1-"+a+"\n2:options\n3-more\n", "4-"+b+"\n5-before\n6:options\n"
	for _, c := range []struct{ name, path, shows, of string }{
		{"one file", "setup_test.go", newer, "1 match"},
		{"all of a directory", "/w/", newer + older, "newest first: 2 matches"},
		{"none", "other.go", newer + older, "0 matches; without path: newest first: 2 matches"},
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
// and the one that was looked for was on the next page. To add a case, add a row; "/" separates messages, "," lines, and A is
// the heading of the first message.
func TestGrepNamesTheLineThatAMessageRepeats(t *testing.T) {
	const long = "each issue has a severity that is CRITICAL or WARNING"
	for _, c := range []struct{ name, messages, shows string }{
		{"numbered, and in a diff", "  7→" + long + "/12\t" + long + "/+ " + long,
			"5-C\n6:+ " + long + "\n3-B\n4:(as line 6)\n1-A\n2:(as line 6)\n"},
		{"without the lines around it", "x," + long + ",x/x," + long + ",x", "5-B\n6-x\n7:" + long + "\n8-x\n" +
			"1-A\n3:(as line 7)\n"},
		{"with those that changed", "x," + long + ",x/y," + long + ",y", "5-B\n6-y\n7:" + long + "\n8-y\n" +
			"1-A\n2-x\n3:(as line 7)\n4-x\n"},
		{"with those that the newest lacks", long + ",y,z/" + long + ",y", "5-B\n6:" + long + "\n7-y\n" +
			"1-A\n2:(as line 6)\n--\n4-z\n"},
		{"in one message", long + "," + long, "1-A\n2:" + long + "\n3:" + long + "\n"},
		{"a short one is news", "FAIL: CRITICAL/FAIL: CRITICAL", "3-B\n4:FAIL: CRITICAL\n1-A\n2:FAIL: CRITICAL\n"},
	} {
		var lines []string
		for i, m := range strings.Split(c.messages, "/") {
			lines = append(lines, artifacts.Heading(string(rune('a'+i)), i+1, "tool", nil))
			lines = append(lines, strings.Split(m, ",")...)
		}
		context := min(1, strings.Count(c.messages, "x"))
		p := read(t, textOf(lines), artifacts.Selection{Grep: "CRITICAL", Context: context, Fill: true})
		got := regexp.MustCompile(`\[message (.),.*\]`).ReplaceAllStringFunc(p.Text, func(h string) string {
			return strings.ToUpper(h[len("[message "):][:1])
		})
		if got != c.shows {
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

// TestGrepShowsLessOfLongLinesWhereManyMatch: each list of tasks is one line, and five of them filled the page.
func TestGrepShowsLessOfLongLinesWhereManyMatch(t *testing.T) {
	line := strings.Repeat("x", 9000) + "NEEDLE" + strings.Repeat("y", 9000) + "\n"
	p := read(t, artifacts.Text([]byte(strings.Repeat(line, 30))), artifacts.Selection{Grep: "NEEDLE", Limit: 5000})
	if p.Range != "14 of 30 matches" {
		t.Error(p.Range)
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

// among reports whether lines are among others, in the same order.
func among(some, all []string) bool {
	for _, line := range all {
		if len(some) > 0 && some[0] == line {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// plainGrep is grep as one would write it with everything in memory.
func plainGrep(text string, re *regexp.Regexp, before, behind int) []string {
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
		for j := max(0, i-min(before, 10)); j <= min(len(lines)-1, i+behind); j++ {
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
		fill := len(text)%2 > 0
		got, _ := readAll(t, artifacts.Text([]byte(text)), artifacts.Selection{Grep: pattern, Context: int(context),
			Limit: limit, Fill: fill})
		var rows []string
		for row := range strings.SplitSeq(strings.TrimSuffix(got, "\n"), "\n") {
			if row != "--" && row != "" {
				rows = append(rows, row)
			}
		}
		want := plainGrep(text, re, int(context), int(context))
		wider := want
		if fill {
			wider = plainGrep(text, re, 10, max(int(context), 40))
		}
		if !among(want, rows) || !among(rows, wider) {
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
