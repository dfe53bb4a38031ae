package main

import model "ctxledger.dev/lab/scriptedmodel"

// tidyChapter: files move and disappear, mostly by shell commands.
var tidyChapter = chapter{
	prompt: "Tidy up please: move store and stock below internal/, delete the legacy package, and split " +
		"cmd/shop/main.go into one file per command. " +
		"Keep the history (git mv). Nothing may change for users. The rules from the beginning still hold.",
	steps: model.Script{
		do("", plan("Move store and stock below internal", "git mv, fix imports"),
			plan("Delete legacy", "one user: cmd/shop"), plan("One file per command", "main, list, order")),
		do("Who imports what?", grep("shop.example/(store|stock|legacy)", "."),
			bash("go list -f '{{.ImportPath}}: {{join .Imports \" \"}}' ./... | grep shop.example",
				"Show the import graph")),
		do("", bash("mkdir -p internal && git mv store internal/store && git mv stock internal/stock && git status "+
			"--short", "Move the packages"), mark("10", "in_progress")),
		do("", bash("go build ./... 2>&1", "See what breaks")),
		do("", bash("grep -rlE '\"shop.example/(store|stock)\"' --include='*.go' . | xargs sed -i -E "+
			"'s#\"shop.example/(store|stock)\"#\"shop.example/internal/\\1\"#' && gofmt -l . ; go build ./... && git "+
			"diff --stat", "Fix the imports")),
		do("The imports are no longer in order; I put them back.",
			edit("order/order.go", `	"shop.example/internal/stock"
	"shop.example/pricing"
`, `	"shop.example/pricing"
	"shop.example/stock"
`)),
		do("`sed` has changed the file since I read it. `gofmt` sorts them all.", readPart("order/order.go", 1, 20),
			bash("gofmt -w . && git diff -- '*.go' | head -80", "Sort imports")),
		do("", bash("go vet ./... && go test -count=1 ./... 2>&1", "Vet and test"), mark("10", "completed"),
			mark("11", "in_progress")),
		do("Now `legacy`. What is in it, and what of it is used?", read("legacy/prices.go"), grep("legacy\\.", ".")),
		think("PriceText is used by `list` only and goes through a float. currency.Format would change what users "+
			"see (comma, sign), and nothing may change for users. "+
			"So an integer version of the same text is needed, inside the command.",
			"`list` uses `PriceText`. `currency.Format` would print `12,34 €` where users see `12.34`; so I keep the "+
				"form, in integers, inside the command.",
			bash("go run ./cmd/shop list > out/list-before.txt; wc out/list-before.txt; md5sum out/list-before.txt",
				"Keep the output for comparison")),
		do("", bash("git rm -rq legacy && ls && go build ./... 2>&1", "Delete legacy")),
		do("", read("cmd/shop/main.go")),
		do("Split by command.", write("cmd/shop/list.go", `package main

import (
	"fmt"
	"io"

	"shop.example/catalog"
)

// list prints all products with their net prices.
func list(w io.Writer, c *catalog.Catalog) error {
	for _, p := range c.All() {
		if _, err := fmt.Fprintf(w, "%-12s %10s  %s\n", p.SKU, priceText(p.Cents), p.Name); err != nil {
			return err
		}
	}
	return nil
}

// priceText writes cents with a point, without a currency.
func priceText(cents int64) string {
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}
`), write("cmd/shop/order.go", `package main

import (
	"os"
	"strconv"
	"strings"

	"shop.example/cart"
	"shop.example/catalog"
	"shop.example/internal/stock"
	"shop.example/internal/store"
	"shop.example/order"
	"shop.example/receipt"
)

// language returns the language of the receipt: SHOP_LANGUAGE, or German.
func language() receipt.Language {
	if l := os.Getenv("SHOP_LANGUAGE"); l != "" {
		return receipt.Language(l)
	}
	return receipt.German
}

// place orders the products given as SKU=PIECES, prints the receipt and keeps the order.
func place(args []string, c *catalog.Catalog) error {
	pieces := map[string]int{}
	for _, p := range c.All() {
		pieces[p.SKU] = p.Stock
	}
	var wanted cart.Cart
	for _, arg := range args {
		sku, count, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		if err := wanted.Add(sku, n); err != nil {
			return err
		}
	}
	o, err := order.Place("o-1", "2026-03-01", &wanted, nil, c, stock.New(pieces))
	if err != nil {
		return err
	}
	if err := receipt.Print(os.Stdout, o, language()); err != nil {
		return err
	}
	return store.Append("out/orders.ndjson", o)
}
`)),
		do("", write("cmd/shop/main.go", `// Command shop sells things.
package main

import (
	"errors"
	"fmt"
	"os"

	"shop.example/catalog"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

// run loads the catalogue and runs one command.
func run(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: shop list | shop order SKU=PIECES...")
	}
	f, err := os.Open("data/products.csv")
	if err != nil {
		return err
	}
	defer f.Close()
	products, err := catalog.Load(f)
	if err != nil {
		return err
	}
	c := catalog.New(products)
	switch args[0] {
	case "list":
		return list(os.Stdout, c)
	case "order":
		return place(args[1:], c)
	}
	return fmt.Errorf("unknown command %q", args[0])
}
`)),
		do("", bash("gofmt -l cmd; go vet ./cmd/... && go build -o bin/shop ./cmd/shop", "Build the command")),
		do("Is the output the same, byte for byte?", bash("./bin/shop list > out/list-after.txt; cmp "+
			"out/list-before.txt out/list-after.txt && echo same; md5sum out/list-*.txt", "Compare the output")),
		do("The command has no test at all. A small one for what users see.",
			write("cmd/shop/list_test.go", `package main

import (
	"strings"
	"testing"

	"shop.example/catalog"
)

func TestListKeepsItsForm(t *testing.T) {
	var b strings.Builder
	err := list(&b, catalog.New([]catalog.Product{{SKU: "CHAIR-0001", Name: "Stuhl Birke", Cents: 4950}, {SKU: "TEA-0005", Name: "Grüner Tee 绿茶", Cents: 305}}))
	want := "CHAIR-0001        49.50  Stuhl Birke\nTEA-0005           3.05  Grüner Tee 绿茶\n"
	if err != nil || b.String() != want {
		t.Errorf("list = %q, %v; want %q", b.String(), err, want)
	}
}

func TestUsage(t *testing.T) {
	if err := run(nil); err == nil || !strings.HasPrefix(err.Error(), "usage:") {
		t.Errorf("err = %v, want the usage", err)
	}
}
`)),
		do("", bash("go test -count=1 ./cmd/... && rm -f out/list-before.txt out/list-after.txt bin/shop && ls out bin",
			"Test and clean up"), mark("11", "completed"), mark("12", "completed")),
		do("The README still names the old places.", read("README.md"), glob("**/*.go")),
		do("", edit("README.md", "| `stock` | what there is |\n", "| `internal/stock` | what there is |\n"),
			edit("README.md", "| `store` | orders on disk |\n| `legacy` | helpers from the first version, to be "+
				"removed |\n", "| `internal/store` | orders on disk |\n| `discount` | codes that lower prices |\n| "+
				"`receipt` | what is printed, in three languages |\n")),
		do("", bash("go vet ./... && go test -count=1 ./... 2>&1 && git add -A && git commit -qm 'shop: move stock "+
			"and store below internal, remove legacy' && git log --stat -1 -M", "Test and commit")),
		model.Say("`stock` and `store` live below `internal/` (moved with `git mv`), `legacy` is gone, and " +
			"`cmd/shop` has one file per command. " +
			"`shop list` prints the same bytes as before (compared with `cmp`); its form is tested now. README " +
			"updated, all tests pass, committed; `currency` untouched."),
	},
}
