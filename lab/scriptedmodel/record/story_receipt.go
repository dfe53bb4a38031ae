package main

import model "ctxledger.dev/lab/scriptedmodel"

const receiptMessages = `package receipt

// Language is a language in which receipts are printed.
type Language string

// The languages of our customers.
const (
	German  Language = "de"
	Chinese Language = "zh"
	English Language = "en"
)

// words are the texts of a receipt.
type words struct {
	title, pieces, net, gross, discount, thanks string
}

var texts = map[Language]words{
	German:  {"Quittung", "Stück", "Netto", "Summe", "Rabatt", "Schönen Dank für Ihren Einkauf, grüßen Sie Ihre Gäste! 🪑"},
	Chinese: {"收据", "件", "净额", "合计", "折扣", "感谢您的购买，欢迎再次光临！🍵"},
	English: {"Receipt", "pcs", "Net", "Total", "Discount", "Thank you, come again! 💡"},
}
`

const receiptFirst = `// Package receipt prints orders for customers, in their language.
package receipt

import (
	"fmt"
	"io"

	"shop.example/currency"
	"shop.example/order"
)

// width is how wide a receipt is, in columns.
const width = 48

// Print writes the receipt of an order.
func Print(w io.Writer, o *order.Order, l Language) error {
	t, ok := texts[l]
	if !ok {
		return fmt.Errorf("receipt: unknown language %q", string(l))
	}
	fmt.Fprintf(w, "%s %s\n%s\n", t.title, o.ID, o.Day)
	for _, line := range o.Lines {
		price, err := currency.Format(o.Currency, line.Gross)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, row(fmt.Sprintf("%d %s %s", line.Pieces, t.pieces, line.Name), price))
	}
	if o.Discount != "" {
		fmt.Fprintln(w, row(t.discount, o.Discount))
	}
	total, err := currency.Format(o.Currency, o.Gross)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n%s\n", row(t.gross, total), t.thanks)
	return err
}

// row puts left and right at the two ends of a line.
func row(left, right string) string {
	return fmt.Sprintf("%-*s%s", width-len(right), left, right)
}
`

const receiptTest = `package receipt

import (
	"strings"
	"testing"

	"shop.example/currency"
	"shop.example/order"
)

var sample = &order.Order{
	ID: "o-7", Day: "2026-03-07", Currency: currency.EUR, Discount: "FRÜHLING10",
	Lines: []order.Line{
		{SKU: "TEA-0005", Name: "Grüner Tee 绿茶 Größe L", Pieces: 2, Net: 1200, Gross: 1284},
		{SKU: "CHAIR-0001", Name: "Stuhl Birke", Pieces: 1, Net: 4950, Gross: 5891},
	},
	Net: 6150, Gross: 7175,
}

func TestRowsEndInOneColumn(t *testing.T) {
	for _, l := range []Language{German, Chinese, English} {
		var b strings.Builder
		if err := Print(&b, sample, l); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, "€") && columns(strings.TrimSuffix(line, "\n")) != width {
				t.Errorf("%s: %q is %d columns wide, want %d", l, line, columns(strings.TrimSuffix(line, "\n")), width)
			}
		}
	}
}

func TestThanksInEveryLanguage(t *testing.T) {
	for l, want := range map[Language]string{German: "grüßen Sie", Chinese: "感谢您的购买", English: "come again"} {
		var b strings.Builder
		if err := Print(&b, sample, l); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: receipt %q, %v; want %q in it", l, b.String(), err, want)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if err := Print(&strings.Builder{}, sample, "fr"); err == nil {
		t.Error("want an error")
	}
}
`

// receiptChapter: texts in several scripts, whose width is not their length.
var receiptChapter = chapter{
	prompt: "We need printed receipts in German, Chinese and English, with the right letters (ü, ß, 汉字) and one " +
		"emoji in the last line. " +
		"The amounts have to stand in one column on a 48 column printer. Use currency.Format, but do not change it.",
	steps: model.Script{
		do("`currency.Format` gives me the amounts; I check its exact form, and what an order holds now.",
			read("currency/currency.go"), read("order/order.go"), mark("3", "in_progress")),
		do("", plan("Receipts in three languages", "48 columns, wide characters count as two"), glob("receipt/*")),
		do("Texts in one file, printing in another.", write("receipt/messages.go", receiptMessages),
			write("receipt/receipt.go", receiptFirst), write("receipt/receipt_test.go", receiptTest)),
		do("", bash("go vet ./receipt/ 2>&1", "Vet receipt"), mark("9", "in_progress")),
		think("columns() has to count display columns: combining marks 0, East Asian wide and most emoji 2. Standard "+
			"library only, so a small range table.",
			"The test needs a function for the width in columns. Chinese letters are two columns wide; without "+
				"third-party modules I use `unicode` ranges.",
			write("receipt/columns.go", `package receipt

import "unicode"

// columns returns how many columns s takes on a printer with fixed width: two for Chinese
// characters and full-width signs, one for all others.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r), r >= 0xff01 && r <= 0xff60, r >= 0x3000 && r <= 0x303f:
			n += 2
		default:
			n++
		}
	}
	return n
}
`)),
		do("", bash("go test ./receipt/ 2>&1", "Test receipt")),
		do("As expected, `len` counts bytes. `row` must pad by columns.",
			edit("receipt/receipt.go", `	return fmt.Sprintf("%-*s%s", width - len(right), left, right)`,
				`	return left + strings.Repeat(" ", max(1, width-columns(left)-columns(right))) + right`)),
		do("Spacing differs; I read the lines.", readPart("receipt/receipt.go", 40, 10)),
		do("", edit("receipt/receipt.go", `	return fmt.Sprintf("%-*s%s", width-len(right), left, right)`,
			`	return left + strings.Repeat(" ", max(1, width-columns(left)-columns(right))) + right`)),
		do("", edit("receipt/receipt.go", `	"fmt"
	"io"
`, `	"fmt"
	"io"
	"strings"
`), bash("go test ./receipt/ 2>&1", "Test receipt")),
		do("What about combining marks and emoji? ü may come as u + ◌̈ from some systems.",
			write("receipt/columns_test.go", `package receipt

import "testing"

func TestColumns(t *testing.T) {
	for s, want := range map[string]int{
		"":        0,
		"Stuhl":   5,
		"Größe":   5,
		"Gro\u0308ße": 5,
		"绿茶":      4,
		"合计：":     6,
		"🍵":       2,
		"👩‍🌾":     2,
		"€":       1,
	} {
		if got := columns(s); got != want {
			t.Errorf("columns(%q) = %d, want %d", s, got, want)
		}
	}
}
`)),
		do("", bash("gofmt -l receipt; go test ./receipt/ 2>&1", "Test columns")),
		do("", edit("receipt/columns.go", `	n := 0
	for _, r := range s {
		switch {
		case unicode.Is`, `	n := 0
	joined := false // the last character was a joiner: this one takes no room of its own
	for _, r := range s {
		switch {
		case r == 0x200d:
			joined = true
			continue
		case joined, unicode.Is(unicode.Mn, r), r == 0xfe0f:
		case r >= 0x1f300 && r <= 0x1faff:
			n += 2
		case unicode.Is`)),
		do("", edit("receipt/columns.go", `		default:
			n++
		}
	}`, `		default:
			n++
		}
		joined = false
	}`)),
		do("", bash("gofmt -w receipt && go test -count=1 -v ./receipt/ 2>&1", "Test receipt")),
		do("Now the command prints it.", read("cmd/shop/main.go")),
		do("", edit("cmd/shop/main.go", `	fmt.Println("total", legacy.PriceText(o.Gross))
	return store.Append("out/orders.ndjson", o)`, `	if err := receipt.Print(os.Stdout, o, language()); err != nil {
		return err
	}
	return store.Append("out/orders.ndjson", o)`)),
		do("",
			edit("cmd/shop/main.go", `func place(args []string,`,
				`// language returns the language of the receipt: SHOP_LANGUAGE, or German.
func language() receipt.Language {
	if l := os.Getenv("SHOP_LANGUAGE"); l != "" {
		return receipt.Language(l)
	}
	return receipt.German
}

func place(args []string,`)),
		do("", editAll("cmd/shop/main.go", `	"shop.example/order"
`, `	"shop.example/order"
	"shop.example/receipt"
`)),
		do("", bash("go build -o bin/shop ./cmd/shop && ./bin/shop order TEA-0005=2 LAMP-0002=1",
			"Print a German receipt"),
			bash("SHOP_LANGUAGE=zh ./bin/shop order TEA-0005=2 LAMP-0002=1", "Print a Chinese receipt")),
		do("", read("receipt/messages.go")),
		do("", bash("go vet ./... && go test -count=1 ./... && git diff --stat -- currency && git add -A && git "+
			"commit -qm 'receipt: print in German, Chinese and English' && git status --short", "Test and commit"),
			mark("9", "completed"), mark("3", "completed")),
		model.Say("Receipts print in German, Chinese and English (`SHOP_LANGUAGE`, German by default). Amounts end " +
			"in column 48: `receipt.columns` counts what a printer shows, " +
			"two columns for 汉字 and emoji, none for combining marks. `currency.Format` is used as it is. Committed. " +
			"Danke und 谢谢! 🪑"),
	},
}
