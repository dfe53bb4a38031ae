package artifacts_test

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
)

// haystack is a log of n lines of noise.
func haystack(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("2026-05-27 info worker %d finished request in %d ms", i%7, i%50)
	}
	return lines
}

func textOf(lines []string) artifacts.Content {
	return artifacts.Text([]byte(strings.Join(lines, "\n") + "\n"))
}

func TestSearchShowsTheBestPassagesFirst(t *testing.T) {
	lines := haystack(2000)
	lines[700] = "error: connection refused while dialing db"
	lines[1500] = "warn: connection slow"
	p := read(t, textOf(lines), artifacts.Selection{Search: "connection refused"})
	if p.Range != "2 passages" || !strings.HasPrefix(p.Text, "[lines 701-720]\nerror: connection refused") ||
		!strings.Contains(p.Text, "\n\n[lines 1501-1520]\nwarn: connection slow\n") {
		t.Errorf("%s\n%s", p.Range, p.Text)
	}
}

// TestSearchShowsWhatIsAroundTheWords: the best passage is whole; of others there is what is around the words, so that more fit.
func TestSearchShowsWhatIsAroundTheWords(t *testing.T) {
	lines := haystack(2000)
	lines[700], lines[710] = "error: connection refused", "error: connection refused"
	lines[1507], lines[1518] = "warn: connection slow", "warn: connection lost"
	p := read(t, textOf(lines), artifacts.Selection{Search: "connection refused"})
	best, other, found := strings.Cut(p.Text, "\n\n[lines 1501-1520]\n")
	if !found || strings.Count(best, "\n") != 20 {
		t.Fatalf("%s", p.Text)
	}
	want := "…\n" + strings.Join(lines[1504:1511], "\n") + "\n…\n" + strings.Join(lines[1515:1520], "\n") + "\n"
	if other != want {
		t.Errorf("%s\nnot\n%s", other, want)
	}
}

func TestSearchFindsPartsOfIdentifiers(t *testing.T) {
	cases := []struct{ name, line, query string }{
		{"part of camel case", "func parseConfig() {", "config"},
		{"camel case by its words", "func parse_config() {", "parseConfig"},
		{"the whole identifier", "x = max_line_len", "max_line_len"},
		{"upper case", "const MAX_LINE = 1", "max"},
		{"chinese", "更新数据库连接", "数据库"},
		{"accents", "Größe unbekannt", "größe"},
		{"letters and accents apart", "the cafe\u0301 is shut", "caf\u00e9"},
		{"letters and accents together", "the caf\u00e9 is shut", "CAFE\u0301"},
		{"full width", "die ＡＰＩ und parseＣｏｎｆｉｇ", "config api"},
		{"sharp s", "Straße", "STRASSE"},
		{"ligature, which is shorter than its letters", "oﬃce: o\ufb03ce", "office"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			lines := haystack(100)
			lines[50] = c.line
			p := read(t, textOf(lines), artifacts.Selection{Search: c.query})
			if p.Range != "1 passage" || !strings.Contains(p.Text, c.line) ||
				!strings.Contains(p.Text, "[lines 41-60]") {
				t.Errorf("%s\n%s", p.Range, p.Text)
			}
		})
	}
}

// Only the call may say what a result is about; the heading of the message contains it.
func TestSearchFindsAResultByItsCall(t *testing.T) {
	lines := []string{artifacts.Heading("aa", 1, "tool", []string{"Read other.go"}), "return nil"}
	second := artifacts.Heading("bb", 2, "tool", []string{"Grep return\nstore.go"})
	lines = append(append(lines, haystack(100)...), second)
	lines = append(append(lines, haystack(30)...), "return errStale")
	p := read(t, textOf(lines), artifacts.Selection{Search: "what does store.go return"})
	want := "[lines 123-134 of message bb, turn 2, tool: Grep return store.go]\n"
	if !strings.HasPrefix(p.Text, want) || !strings.Contains(p.Text, "return errStale\n") {
		t.Errorf("%s\n%s", p.Range, p.Text)
	}
}

func TestSearchPagesContinue(t *testing.T) {
	c := textOf(haystack(1000)) // 50 passages, all with hits
	p := read(t, c, artifacts.Selection{Search: "worker", Limit: 3000})
	if p.Range != "2 of 50 passages" || p.Next == nil || p.Next.After != 2 {
		t.Fatalf("got %q, next %+v", p.Range, p.Next)
	}
	seen := map[string]bool{}
	all, _ := readAll(t, c, artifacts.Selection{Search: "worker", Limit: 3000})
	for line := range strings.SplitSeq(all, "\n") {
		if strings.HasPrefix(line, "[lines ") {
			if seen[line] {
				t.Errorf("%s twice", line)
			}
			seen[line] = true
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d passages", len(seen))
	}
}

func TestSearchInOneLongLine(t *testing.T) {
	c := artifacts.Text([]byte(strings.Repeat(`{"k":"value"},`, 5000) + `{"needle":1}` +
		strings.Repeat(`,{"k":"value"}`, 5000)))
	p := read(t, c, artifacts.Selection{Search: "needle"})
	if p.Range != "1 passage" || !strings.HasPrefix(p.Text, "[lines 1]\n") || !strings.Contains(p.Text, "needle") ||
		len(p.Text) > 2200 {
		t.Errorf("%s: %d bytes", p.Range, len(p.Text))
	}
}

// docs yields contents with ids a, b, c, …
func docs(contents ...artifacts.Content) iter.Seq2[artifacts.Artifact, artifacts.Content] {
	return func(yield func(artifacts.Artifact, artifacts.Content) bool) {
		for i, c := range contents {
			if !yield(artifacts.Artifact{ID: string(rune('a' + i))}, c) {
				return
			}
		}
	}
}

func TestSearchAcrossArtifacts(t *testing.T) {
	one, two, three := haystack(100), haystack(100), haystack(100)
	one[30] = "panic: nil pointer"
	two[95] = "panic: nil pointer, nil pointer"
	got, err := artifacts.Search(docs(textOf(one), textOf(two), textOf(three)), "nil pointer", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].ID != "b" || got[0].Lines != "81-100" || got[1].ID != "a" || got[1].Lines != "21-40" ||
		got[0].Score <= got[1].Score {
		t.Errorf("got %+v", got)
	}
	again, _ := artifacts.Search(docs(textOf(one), textOf(two), textOf(three)), "nil pointer", 0)
	if !reflect.DeepEqual(got, again) {
		t.Error("not the same twice")
	}
	// What a passage names can be read.
	p := read(t, textOf(two), artifacts.Selection{Lines: got[0].Lines})
	if p.Text != got[0].Text {
		t.Errorf("lines %s read as\n%s\nfound as\n%s", got[0].Lines, p.Text, got[0].Text)
	}
}

func TestSearchKeepsTheBestOfVeryMany(t *testing.T) {
	lines := haystack(60_000) // 3,000 passages with the common word
	lines[31] = "worker needle"
	lines[59_000] = "worker needle needle"
	got, err := artifacts.Search(docs(textOf(lines)), "worker needle", 2)
	if err != nil || len(got) != 2 || got[0].Lines != "59001-59020" || got[1].Lines != "21-40" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSearchBounds(t *testing.T) {
	c := textOf(haystack(2000))
	if got, err := artifacts.Search(docs(c), "worker", 1000); err != nil || len(got) != 50 {
		t.Errorf("%d passages, %v", len(got), err)
	}
	if got, err := artifacts.Search(docs(), "worker", 5); err != nil || got == nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	_, err := artifacts.Search(docs(c), "worker", -1)
	wantFault(t, err, fault.Invalid, "limit=-1")
	_, err = artifacts.Search(docs(c), " . ", 0)
	wantFault(t, err, fault.Invalid, "contains no word")
	_, err = artifacts.Search(docs(c), strings.Repeat("x", 2000), 0)
	wantFault(t, err, fault.Invalid, "limit of 1000")
}

func BenchmarkSearch(b *testing.B) {
	text := []byte(strings.Repeat(strings.Join(haystack(50_000), "\n")+"\n", 4)) // 10 MB
	c := artifacts.Text(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := artifacts.Search(docs(c), "worker refused", 10); err != nil {
			b.Fatal(err)
		}
	}
}
