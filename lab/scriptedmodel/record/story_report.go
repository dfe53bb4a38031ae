package main

import model "ctxledger.dev/lab/scriptedmodel"

const reportFirst = `// Package report adds up orders by month.
package report

import (
	"fmt"
	"io"
	"sort"

	"shop.example/currency"
	"shop.example/order"
)

// Month is the turnover of a month in one currency, in minor units.
type Month struct {
	Name     string // as in 2026-01
	Currency currency.Code
	Orders   int
	Net, Gross int64
}

// ByMonth adds up orders by month and currency, oldest first.
func ByMonth(orders []order.Order) []Month {
	sums := map[string]*Month{}
	for _, o := range orders {
		key := o.Day[:7] + string(o.Currency)
		m := sums[key]
		if m == nil {
			m = &Month{Name: o.Day[:7], Currency: o.Currency}
			sums[key] = m
		}
		m.Orders++
		m.Net += o.Net
		m.Gross += o.Gross
	}
	var out []Month
	for _, m := range sums {
		out = append(out, *m)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Write prints the months as a table.
func Write(w io.Writer, months []Month) error {
	for _, m := range months {
		gross, err := currency.Format(m.Currency, m.Gross)
		if err != nil {
			return fmt.Errorf("report: %s: %w", m.Name, err)
		}
		if _, err := fmt.Fprintf(w, "%s %5d %16s\n", m.Name, m.Orders, gross); err != nil {
			return err
		}
	}
	return nil
}
`

const reportTest = `package report

import (
	"strings"
	"testing"

	"shop.example/internal/store"
	"shop.example/order"
)

func TestByMonth(t *testing.T) {
	got := ByMonth([]order.Order{
		{Day: "2026-02-01", Currency: "EUR", Net: 100, Gross: 119},
		{Day: "2026-01-31", Currency: "EUR", Net: 200, Gross: 238},
		{Day: "2026-02-28", Currency: "USD", Net: 300, Gross: 357},
		{Day: "2026-02-03", Currency: "EUR", Net: 400, Gross: 476},
	})
	if len(got) != 3 || got[0].Name != "2026-01" || got[1].Currency != "EUR" || got[1].Orders != 2 || got[1].Gross != 595 {
		t.Errorf("ByMonth = %+v", got)
	}
}

func TestBadDays(t *testing.T) {
	got := ByMonth([]order.Order{{Day: "", Currency: "EUR", Net: 1, Gross: 1}})
	if len(got) != 1 || got[0].Name != "unknown" {
		t.Errorf("ByMonth = %+v, want one month called unknown", got)
	}
}

func TestHalfAYear(t *testing.T) {
	orders, err := store.Load("../data/orders.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	months := ByMonth(orders)
	if len(months) != 6 {
		t.Fatalf("%d months, want 6", len(months))
	}
	var b strings.Builder
	if err := Write(&b, months); err != nil || strings.Count(b.String(), "€") != 6 {
		t.Errorf("Write = %q, %v", b.String(), err)
	}
}

func TestYen(t *testing.T) {
	var b strings.Builder
	err := Write(&b, ByMonth([]order.Order{{Day: "2026-07-01", Currency: "JPY", Net: 5000, Gross: 5500}}))
	if err != nil || !strings.Contains(b.String(), "5500") {
		t.Errorf("Write = %q, %v; want 5500 yen", b.String(), err)
	}
}
`

// reportChapter ends with a test that must keep failing, because of a rule of the first prompt.
var reportChapter = chapter{
	prompt: "Last thing: a command `shop report` with the turnover by month from data/orders.ndjson. We start " +
		"selling in Japan in July, " +
		"so orders in JPY (no decimals) must appear as well. Add a test for a yen order.",
	steps: model.Script{
		do("", plan("Report by month", "package report, command shop report"), plan("Yen", "JPY has no minor unit"),
			read("internal/store/store.go"),
			bash("head -c 600 data/orders.ndjson; wc -l data/orders.ndjson", "Look at the orders")),
		do("", write("report/report.go", reportFirst), write("report/report_test.go", reportTest),
			mark("13", "in_progress")),
		do("", bash("gofmt -l report; gofmt -w report; go vet ./report/ && go test ./report/ 2>&1", "Test report")),
		do("Three things: an empty day panics, the order within a month is left to chance, and yen is unknown. The "+
			"panic first.",
			edit("report/report.go", `		key := o.Day[:7] + string(o.Currency)
		m := sums[key]
		if m == nil {
			m = &Month{Name: o.Day[:7], Currency: o.Currency}`, `		name := "unknown"
		if len(o.Day) >= len("2026-01") {
			name = o.Day[:len("2026-01")]
		}
		key := name + string(o.Currency)
		m := sums[key]
		if m == nil {
			m = &Month{Name: name, Currency: o.Currency}`)),
		do("`gofmt` has changed the file too; I read it again before the next edit.", read("report/report.go")),
		do("",
			edit("report/report.go", `	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })`,
				`	sort.Slice(out, func(i, j int) bool {
		if out[i].Name != out[j].Name {
			return out[i].Name < out[j].Name
		}
		return out[i].Currency < out[j].Currency
	})`)),
		do("", bash("go test ./report/ 2>&1", "Test report")),
		do("What remains is yen. Where are currencies known?", read("currency/currency.go"),
			grep("currency\\.(Format|Digits|EUR|USD|CHF)", ".")),
		think("JPY would have to be added to the known map in currency, and Format always prints two digits, so that "+
			"even then 5500 yen would print as 55.00. "+
			"Both are changes of the currency package, which the user forbade. Working around it by formatting yen "+
			"in report would be a second truth about currencies. "+
			"I build everything else, leave the test failing, and say so.",
			"Yen needs two changes in `currency`: the code itself, and a `Format` that does not always print two "+
				"digits. That package is not ours to change. "+
				"I finish the rest and leave `TestYen` as it is.", mark("14", "in_progress")),
		do("", write("cmd/shop/report.go", `package main

import (
	"io"

	"shop.example/internal/store"
	"shop.example/report"
)

// turnover prints the turnover by month.
func turnover(w io.Writer) error {
	orders, err := store.Load("data/orders.ndjson")
	if err != nil {
		return err
	}
	return report.Write(w, report.ByMonth(orders))
}
`), read("cmd/shop/main.go")),
		do("", edit("cmd/shop/main.go", `	if len(args) == 0 {
		return errors.New("usage: shop list | shop order SKU=PIECES...")
	}`, `	if len(args) == 0 {
		return errors.New("usage: shop list | shop order SKU=PIECES... | shop report")
	}
	if args[0] == "report" {
		return turnover(os.Stdout) // needs no catalogue
	}`)),
		do("", bash("go build -o bin/shop ./cmd/shop && ./bin/shop report", "Print the report")),
		do("A check with another tool: the sums must agree.", bash("for m in 01 02 03 04 05 06; do grep -o "+
			"\"\\\"day\\\":\\\"2026-$m.*\" data/orders.ndjson | grep -oE '\"gross\":[0-9]+}$' | grep -oE '[0-9]+' | "+
			"awk -v m=$m '{s+=$1} END {printf \"2026-%s %d %d\\n\", m, NR, s}'; done", "Add up with awk"),
			read("data/orders.ndjson")),
		do("",
			bash("printf '%s\\n' '{\"id\":\"o-90001\",\"day\":\"2026-07-01\",\"currency\":\"JPY\","+
				"\"lines\":[],\"net\":5000,\"gross\":5500}' > out/yen.ndjson && "+
				"go test -run 'TestYen' -v ./report/ 2>&1", "The yen test on its own")),
		do("Is there really no way without touching `currency`? I look for a hook in it.",
			grep("func |known", "currency"),
			bash("git log --oneline -- currency && git diff --stat $(git rev-list --max-parents=0 HEAD) HEAD -- "+
				"currency", "History of currency")),
		do("There is none: the table is private. I write down what is needed.",
			write("docs/yen.md", "# Yen\n\n`TestYen` in package `report` fails until package `currency` (owned by "+
				"accounting) knows JPY:\n\n"+
				"1. `JPY Code = \"JPY\"` with 0 digits and the sign ¥ (日本円) in the table `known`.\n"+
				"2. `Format` divides by 100 whatever the number of digits is; it must use `digits`.\n\n"+
				"Nothing else in "+
				"the shop assumes two digits.\n"), read("report/report_test.go")),
		do("", edit("README.md", "    go run ./cmd/shop order CHAIR-0007=2 LAMP-0012=1\n",
			"    go run ./cmd/shop order CHAIR-0007=2 LAMP-0012=1\n    go run ./cmd/shop report\n"),
			bash("rm out/yen.ndjson; git status --short", "Clean up")),
		do("", bash("go vet ./... && go test -count=1 ./... 2>&1", "Vet and test everything"), mark("13", "completed")),
		do("As expected: everything but `TestYen`. I commit on a branch, so that `main` stays green.",
			bash("git checkout -qb report && git add -A && git commit -qm 'report: turnover by month (TestYen waits "+
				"for currency)' && git log --oneline && git show --stat HEAD", "Commit on a branch")),
		do("", model.Call{Tool: "TaskList", Input: args{}}),
		do("A last run, for the record.", bash("go test ./report/ 2>&1 | tail -20; go test ./... 2>&1 | grep -c '^ok'",
			"Final state"), bash("go test ./...", "Final state, exit status")),
		model.Say("`shop report` prints the turnover by month; the sums agree with an independent count by awk.\n\n" +
			"**One test fails and will go on failing: `report.TestYen`.** Yen needs two changes in package " +
			"`currency` (the code JPY with no decimals, and a `Format` that respects the number of digits), " +
			"and you asked me never to touch it. I wrote down what accounting has to do in `docs/yen.md`. " +
			"The work is committed on the branch `report`, so that `main` stays green. Everything else passes; " +
			"prices are int64 cents throughout."),
	},
}
