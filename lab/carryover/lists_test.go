package carryover

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// listCases are texts with the share of them that is in lists, in per cent: from, to. To add one, add a row.
var listCases = []struct {
	name     string
	from, to int
	text     string
}{
	{"a row of a file and its names", 100, 100, `changed money/amount.go + FromCents, Cents`},
	{"rows of files and their names", 90, 100, `
changed money/amount.go + FromCents, Cents
changed invoice/render.go + renderTotals, roundLine
created money/amount_test.go + TestFromCents, TestNegativeHalf
changed csvimport/parse.go + parseAmount, Locale`},
	{"rows of files and what was done to them", 0, 0, `
- money/amount.go: FromCents takes whole cents; FromFloat is marked as deprecated and calls it (turns 10–12)
- invoice/render.go: totals are now added up from cents, so roundLine is gone (turn 11)
- money/amount_test.go: new, with cases for negative halves (turn 12)
- csvimport/parse.go: a comma as decimal separator is accepted if the header says so (turn 31)`},
	{"bare paths", 100, 100, "money/amount.go\ninvoice/render.go\ncsvimport/parse.go\ndocs/rounding.md"},
	{"bare names", 100, 100, `parseAmount FromCents max_retries ErrEmpty os.Args TS2304 renderTotals roundLine`},
	{"bare names, joined by signs", 100, 100, `parseAmount+FromCents=max_retries|ErrEmpty:os.Args@TS2304`},
	{"bare plain words", 0, 0, `amount invoice import parse render total round cents ledger credit note`},
	{"prose", 0, 0, `
The cause: lines of an invoice are rounded one by one in render.go:88 and then added up; the total is rounded
again, so half a cent goes up twice. TestTotalsMatchLedger was wrong itself: it compared with the rounded sum.`},
	{"prose that names some things in a row", 0, 0, `
Three functions still take a float: parseAmount, formatAmount and roundLine. The others were changed in turn 11,
and the tests of package money pass since then. Next comes the import.`},
	{"headings", 0, 0, "# Primary Request And Intent\n\n## Files And Code Sections\n\n## Pending Tasks\n"},
	{"German prose", 0, 0, `
Die Ursache: Der Aufruf von FromFloat in der Methode renderTotals rundet jede Zeile einzeln, und die Summe wird
danach noch einmal gerundet. Deshalb stimmt der Betrag in manchen Rechnungen nicht.`},
	{"Chinese prose", 0, 0, `问题的原因:renderTotals 先对每一行取整,然后对总和再次取整。修改 FromCents 以后,所有测试都通过了。`},
	{"Chinese prose without spaces", 0, 0, `函数renderTotals先取整,再调用FromCents、parseAmount、roundLine,结果不对。`},
	{"code", 0, 10, `
func FromCents(n int64) Amount {
	if n < 0 {
		return Amount{sign: -1, cents: uint64(-n)}
	}
	for i := range table {
		sum += table[i].cents
	}
	return Amount{cents: uint64(n)}
}`},
	{"a table of names", 95, 100, `
| file | names |
|---|---|
| money/amount.go | FromCents, parseAmount |
| invoice/render.go | renderTotals, roundLine |
| csvimport/parse.go | parseLocale, splitFields |
| ledger/export.go | exportRows, csvWriter |`},
	{"a table of outcomes", 0, 0, `
| check | outcome |
|---|---|
| go test ./money/... | passed in turn 28, files have changed since then |
| go test ./csvimport | failed in turn 30, TestParseAmount got zero instead of the amount |`},
	{"addresses", 0, 0, `
https://host.example/a/b.go?q=FooBar https://host.example/c_d/e.go
http://host.example/x/y/z.go`},
	{"two names", 0, 0, `FromCents parseAmount`},
	{"a list between prose", 30, 50, `
We have looked at every place that still takes a float, and the user wants all of them to be changed today:
money/amount.go FromCents parseAmount, invoice/render.go renderTotals roundLine, csvimport/parse.go parseLocale
splitFields, ledger/export.go exportRows csvWriter.
Nothing else in the repository is affected by it as far as the tests show.`},
}

func TestListsAreTold(t *testing.T) {
	for _, c := range listCases {
		got := float64(measureLists(c.text)) * 100
		if !(got >= float64(c.from) && got <= float64(c.to)) {
			t.Errorf("%s: %.1f%%, want %d to %d", c.name, got, c.from, c.to)
		}
	}
	for name, text := range map[string]string{"empty": "", "white space": " \n\t", "signs": "--- | · 12 3.4\n```\n"} {
		if got := measureLists(text); got.Known() {
			t.Errorf("%s: %v is known", name, got)
		}
	}
}

// wrap breaks a text into lines of at most width bytes, where words allow it.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for w := range strings.FieldsSeq(text) {
		if column > 0 && column+len(w) >= width {
			b.WriteByte('\n')
			column = 0
		}
		n, _ := b.WriteString(w + " ")
		column += n
	}
	return b.String()
}

func eachLine(prefix, suffix string) func(string) string {
	return func(s string) string {
		return prefix + strings.ReplaceAll(strings.TrimSpace(s), "\n", suffix+"\n"+prefix) + suffix
	}
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

// layouts change how a text looks and nothing that it says.
var layouts = []struct {
	name   string
	change func(string) string
}{
	{"enumerations a line each", replace(", ", "\n")},
	{"enumerations with ·", replace(", ", " · ")},
	{"enumerations with |", replace(", ", " | ")},
	{"enumerations without spaces", replace(", ", ",")},
	{"enumerations without commas", replace(", ", " ")},
	{"an empty line behind each", replace("\n", "\n\n")},
	{"bullets", eachLine("- ", "")},
	{"round bullets", eachLine("  • ", "")},
	{"numbers", eachLine("12. ", "")},
	{"check boxes", eachLine("- [x] ", "")},
	{"a table", eachLine("| ", " |")},
	{"quoted", eachLine("> ", "")},
	{"a fence", func(s string) string { return "```go\n" + s + "\n```\n" }},
	{"a fence of tildes", func(s string) string { return "~~~json\n" + s + "\n~~~\n" }},
	{"a fence for each line", eachLine("```\n", "\n```")},
	{"code", eachLine("`", "`")},
	{"bold", eachLine("**", "**")},
}

func TestLayoutDoesNotHideLists(t *testing.T) {
	const atMost = 0.03
	document := ""
	for _, c := range listCases {
		document += strings.TrimSpace(c.text) + "\n\n"
	}
	texts := map[string]string{"all of them": document}
	for _, c := range listCases {
		texts[c.name] = strings.Repeat(c.text+"\n", 8)
	}
	for name, text := range texts {
		want := measureLists(text)
		check := func(layout, changed string) {
			if got := measureLists(changed); !(math.Abs(float64(got-want)) <= atMost) {
				t.Errorf("%s, %s: %.3f, before %.3f", name, layout, got, want)
			}
		}
		for width := 1; width <= 200; width += 1 + width/8 {
			check(fmt.Sprintf("wrapped at %d", width), wrap(text, width))
		}
		for _, l := range layouts {
			check(l.name, l.change(text))
			check(l.name+" and wrapped", wrap(l.change(text), 30))
		}
	}
}

// Whatever a text is: its figure is a share, and line breaks change nothing.
func FuzzLineBreaksChangeNoLists(f *testing.F) {
	for _, c := range listCases {
		f.Add(c.text)
	}
	f.Add("a://b c://d\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := measureLists(text)
		if got.Known() && (got < 0 || got > 1) {
			t.Errorf("%v of %q", got, text)
		}
		again := measureLists(strings.Join(strings.Fields(text), "\n"))
		if again != got && (again.Known() || got.Known()) {
			t.Errorf("%v, with other line breaks %v: %q", got, again, text)
		}
	})
}

func BenchmarkLists(b *testing.B) {
	text := ""
	for _, c := range listCases {
		text += c.text + "\n"
	}
	text = strings.Repeat(text, 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		measureLists(text)
	}
}
