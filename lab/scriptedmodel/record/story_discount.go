package main

import model "ctxledger.dev/lab/scriptedmodel"

// discountFirst is the first version of the discount package, with a mistake in Apply.
const discountFirst = `// Package discount reduces prices by codes that customers enter.
package discount

import (
	"errors"
	"strings"
)

// ErrUnknown is returned for a code that is not offered.
var ErrUnknown = errors.New("discount: unknown code")

// Code is a reduction by a share or by an amount.
type Code struct {
	Name        string
	BasisPoints int64 // share of the net price, 10000 is all of it
	Cents       int64 // fixed amount
	Least       int64 // smallest net price to which the code applies, in cents
}

// Apply returns the reduced net price in cents.
func (c Code) Apply(net int64) int64 {
	if net < c.Least {
		return net
	}
	return net - net*c.BasisPoints/10000 - c.Cents
}

// Find returns the code that a customer entered.
func Find(offered []Code, entered string) (Code, error) {
	for _, c := range offered {
		if strings.EqualFold(c.Name, entered) {
			return c, nil
		}
	}
	return Code{}, ErrUnknown
}
`

// discountTest finds that mistake.
const discountTest = `package discount

import (
	"errors"
	"testing"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name string
		code Code
		net  int64
		want int64
	}{
		{"ten percent", Code{BasisPoints: 1000}, 1000, 900},
		{"half a cent is rounded up in favour of the shop", Code{BasisPoints: 1000}, 1005, 904},
		{"five euros", Code{Cents: 500}, 1200, 700},
		{"never below zero", Code{Cents: 500}, 300, 0},
		{"below the least price", Code{Cents: 500, Least: 2000}, 1999, 1999},
		{"at the least price", Code{Cents: 500, Least: 2000}, 2000, 1500},
		{"everything", Code{BasisPoints: 10000}, 1999, 0},
	} {
		if got := c.code.Apply(c.net); got != c.want {
			t.Errorf("%s: Apply(%d) = %d, want %d", c.name, c.net, got, c.want)
		}
	}
}

func TestFindIgnoresCase(t *testing.T) {
	offered := []Code{{Name: "FRÜHLING10", BasisPoints: 1000}, {Name: "WELCOME5", Cents: 500}}
	if c, err := Find(offered, "frühling10"); err != nil || c.BasisPoints != 1000 {
		t.Errorf("Find = %+v, %v", c, err)
	}
	if _, err := Find(offered, "nothing"); !errors.Is(err, ErrUnknown) {
		t.Errorf("err = %v, want ErrUnknown", err)
	}
}
`

// discountChapter: a new package, and its way into orders.
var discountChapter = chapter{
	prompt: "Now discount codes: a percentage or a fixed amount, each with a minimum order value. A discount is " +
		"never more than the price, " +
		"and a half cent goes to the shop. Orders must record the code that was used. Tests please, and keep to the " +
		"rules (cents, hands off currency).",
	steps: model.Script{
		do("", plan("Discount package", "share or amount, minimum value, whole cents"),
			plan("Use discounts in orders", "Place takes a code and records it")),
		do("", mark("4", "in_progress"), read("order/order.go"), read("pricing/vat.go")),
		think("A fixed amount larger than the price must end at 0. Rounding: the discount itself rounds down, so "+
			"half a cent stays with the shop.",
			"I write the package and its tests.", write("discount/discount.go", discountFirst),
			write("discount/discount_test.go", discountTest)),
		do("", bash("go test ./discount/", "Test discount")),
		do("A fixed amount can push the price below zero.",
			edit("discount/discount.go", `	return net - net*c.BasisPoints/10000 - c.Cents
`, `	return max(0, net-net*c.BasisPoints/10000-c.Cents)
`)),
		do("", bash("go test ./discount/", "Test discount")),
		do("One expectation of mine was wrong: 10 % of 10.05 is 100.5 cents; rounded down the discount is 100 and "+
			"the price 905. "+
			"That *is* the half cent for the shop.", edit("discount/discount_test.go",
			`{"half a cent is rounded up in favour of the shop", Code{BasisPoints: 1000}, 1005, 904},`,
			`{"half a cent goes to the shop", Code{BasisPoints: 1000}, 1005, 905},`)),
		do("", bash("go test -v ./discount/", "Test discount")),
		do("", mark("4", "completed"), mark("5", "in_progress")),
		do("Now the orders.", edit("order/order.go", `	Currency currency.Code `+"`json:\"currency\"`"+`
	Lines    []Line        `+"`json:\"lines\"`", `	Currency currency.Code `+"`json:\"currency\"`"+`
	Discount string        `+"`json:\"discount,omitempty\"`"+` // the code that was used
	Lines    []Line        `+"`json:\"lines\"`")),
		do("", edit("order/order.go", `// Place prices the cart and takes its pieces from the stock.
func Place(id, day string, c *cart.Cart, products *catalog.Catalog, s *stock.Stock) (*Order, error) {
	o := &Order{ID: id, Day: day, Currency: currency.EUR}`,
			`// Place prices the cart, reduces it by the code (nil for none) and takes its pieces from the stock.
func Place(id, day string, c *cart.Cart, code *discount.Code, products *catalog.Catalog, s *stock.Stock) (*Order, error) {
	o := &Order{ID: id, Day: day, Currency: currency.EUR}
	if code != nil {
		o.Discount = code.Name
	}`)),
		do("", bash("go build ./... 2>&1", "Build")),
		do("", edit("order/order.go", `	"shop.example/currency"
`, `	"shop.example/currency"
	"shop.example/discount"
`)),
		do("", bash("go build ./... 2>&1", "Build"), grep("order\\.Place|= Place\\(", ".")),
		do("Two callers to change. The discount applies to the whole order, so it has to be spread over the lines; "+
			"I give it to the lines in proportion and the rest to the last one.",
			edit("cmd/shop/main.go", `order.Place("o-1", "2026-03-01", &wanted, c, stock.New(pieces))`,
				`order.Place("o-1", "2026-03-01", &wanted, nil, c, stock.New(pieces))`),
			edit("order/order_test.go", `Place("o-1", "2026-03-01", &c, products, s)`,
				`Place("o-1", "2026-03-01", &c, nil, products, s)`)),
		do("", read("order/order.go")),
		do("", edit("order/order.go", `		net := p.Cents * int64(line.Pieces)
		gross := pricing.Gross(net, pricing.Rates[p.Tax])
		o.Lines = append(o.Lines, Line{SKU: p.SKU, Name: p.Name, Pieces: line.Pieces, Net: net, Gross: gross})
		o.Net += net
		o.Gross += gross
	}
	return o, nil
}`, `		net := p.Cents * int64(line.Pieces)
		o.Lines = append(o.Lines, Line{SKU: p.SKU, Name: p.Name, Pieces: line.Pieces, Net: net, rate: pricing.Rates[p.Tax]})
		o.Net += net
	}
	if code != nil {
		o.spread(code.Apply(o.Net))
	}
	for i, line := range o.Lines {
		o.Lines[i].Gross = pricing.Gross(line.Net, line.rate)
		o.Gross += o.Lines[i].Gross
	}
	return o, nil
}

// spread lowers the lines in proportion, so that they add up to net.
func (o *Order) spread(net int64) {
	left := net
	for i := range o.Lines {
		share := o.Lines[i].Net * net / o.Net
		if i == len(o.Lines)-1 {
			share = left
		}
		o.Lines[i].Net = share
		left -= share
	}
	o.Net = net
}`)),
		do("", edit("order/order.go", `	Gross  int64  `+"`json:\"gross\"`"+`
}

// Order is`, `	Gross  int64  `+"`json:\"gross\"`"+`

	rate int64 // basis points
}

// Order is`)),
		do("", bash("gofmt -l . ; go vet ./... && go test ./... 2>&1", "Format, vet, test")),
		do("Now a test that the lines add up, whatever the code.",
			edit("order/order_test.go", `func TestPlace(t *testing.T) {`,
				`func TestDiscountIsSpreadOverTheLines(t *testing.T) {
	for _, code := range []discount.Code{{Name: "TEN", BasisPoints: 1000}, {Name: "ODD", Cents: 777}, {Name: "ALL", Cents: 1 << 40}} {
		products, s := shop()
		var c cart.Cart
		for _, sku := range []string{"BOOK", "CHAIR"} {
			if err := c.Add(sku, 1); err != nil {
				t.Fatal(err)
			}
		}
		o, err := Place("o-2", "2026-03-02", &c, &code, products, s)
		if err != nil {
			t.Fatal(err)
		}
		if sum := o.Lines[0].Net + o.Lines[1].Net; sum != o.Net || o.Discount != code.Name {
			t.Errorf("%s: lines add up to %d, order says %d", code.Name, sum, o.Net)
		}
	}
}

func TestPlace(t *testing.T) {`)),
		do("", edit("order/order_test.go", `	"shop.example/catalog"
	"shop.example/stock"
)`, `	"shop.example/catalog"
	"shop.example/discount"
	"shop.example/stock"
)`)),
		do("", bash("go test -count=1 ./order/ ./discount/ ./store/", "Test order, discount, store")),
		think("An empty cart with a code would divide by zero in spread: o.Net is 0. That is a real bug.",
			"One more thing: an empty cart with a code divides by zero. I make an empty cart an error.",
			edit("order/order.go", `	o := &Order{ID: id, Day: day, Currency: currency.EUR}
	if code`, `	if len(c.Lines()) == 0 {
		return nil, ErrEmpty
	}
	o := &Order{ID: id, Day: day, Currency: currency.EUR}
	if code`)),
		do("",
			edit("order/order.go", `// Line is one product of an order, with its prices in cents.`,
				`// ErrEmpty is returned for a cart without products.
var ErrEmpty = errors.New("order: the cart is empty")

// Line is one product of an order, with its prices in cents.`), bash("go build ./order/ 2>&1", "Build order")),
		do("", edit("order/order.go", `import (
	"fmt"
`, `import (
	"errors"
	"fmt"
`)),
		do("", bash("go test -count=1 ./... && gofmt -l .", "Run all tests"),
			bash("git diff --stat -- currency", "Currency untouched?")),
		do("", bash("git add -A && git commit -qm 'discount: codes by share or amount' && git show --stat HEAD",
			"Commit"), mark("5", "completed")),
		model.Say("Discount codes work: package `discount` (share in basis points or fixed cents, minimum value, " +
			"never below zero, half a cent to the shop). " +
			"`order.Place` takes a code, records its name and spreads the reduction over the lines so that they add " +
			"up. " +
			"An empty cart is an error now (`order.ErrEmpty`), as it would have divided by zero. All tests pass, " +
			"committed, `currency` untouched."),
	},
}
