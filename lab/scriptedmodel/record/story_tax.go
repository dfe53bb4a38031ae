package main

import model "ctxledger.dev/lab/scriptedmodel"

// taxChapter: the model gets to know the project and repairs the tax.
var taxChapter = chapter{
	prompt: "Please get to know this shop first: read the packages and tell me how they hang together. " +
		"Then make `go test ./...` green. Three rules for everything we do from now on: " +
		"always keep prices in cents (int64, never float), never touch the currency package (accounting owns it), " +
		"and standard library only. Commit when the tests pass.",
	steps: model.Script{
		think("The user wants an overview and green tests. I look at the tree first, then at each package.",
			"I start with the layout and the history.",
			bash("ls -la && ls -R --ignore=.git . | head -60", "List the project"),
			bash("git log --stat --oneline", "Show the history")),
		do("", read("README.md"), read("go.mod"), glob("**/*.go")),
		do("Now the packages, from the bottom up.", read("currency/currency.go"), read("catalog/product.go"),
			read("catalog/load.go")),
		do("", read("pricing/vat.go"), read("pricing/vat_test.go")),
		do("", read("cart/cart.go"), read("stock/stock.go"), read("order/order.go")),
		do("", read("store/store.go"), read("legacy/prices.go"), read("cmd/shop/main.go")),
		do("", read("order/order_test.go"), read("catalog/load_test.go")),
		do("Let me see what the tests say.", bash("go build ./... && go vet ./...", "Build and vet"),
			bash("go test ./... 2>&1", "Run all tests")),
		do("", plan("Repair rounding of the tax", "pricing.Gross truncates; it must round half up, in integers"),
			plan("Find other floating point money", "catalog.Load and legacy use float64 for prices"),
			plan("Keep currency untouched", "accounting owns it")),
		do("Where does money go through floating point?", grep("float64|ParseFloat|FormatFloat", "."),
			grepFiles("pricing\\.(Gross|Rates)")),
		do("", mark("1", "in_progress")),
		think("Gross truncates: 999 * 1.19 = 1188.81 becomes 1188. Rates as basis points keep it in integers: "+
			"(net*bp + 5000) / 10000 rounds half up for positive amounts. Negative amounts (refunds) need care.",
			"`Gross` truncates instead of rounding. I turn the rates into basis points, so that no float is left.",
			edit("pricing/vat.go", `// Rates by tax class, in percent.
var Rates = map[string]float64{`, `// Rates by tax class, in basis points.
var Rates = map[string]int64{`)),
		do("The comment reads differently; I look again.", read("pricing/vat.go")),
		do("", edit("pricing/vat.go", `// Rates by tax class.
var Rates = map[string]float64{
	"normal":  0.19,
	"reduced": 0.07,
}`, `// Rates by tax class, in basis points.
var Rates = map[string]int64{
	"normal":  1900,
	"reduced": 700,
}`)),
		do("", edit("pricing/vat.go", `// Gross returns the price with tax.
func Gross(net int64, rate float64) int64 {
	return int64(float64(net) * (1 + rate))
}`, `// Gross returns the price with tax, rounded half up to whole cents.
func Gross(net, rate int64) int64 {
	return net + (net*rate+5000)/10000
}`)),
		do("", bash("go test ./pricing/ ./order/", "Test pricing and order")),
		do("Green. Refunds have negative amounts; I add a case for them.",
			edit("pricing/vat_test.go", `		{"reduced", 250, 268},
	} {`, `		{"reduced", 250, 268},
		{"normal", -100, -119},
		{"reduced", -250, -268},
		{"normal", 0, 0},
	} {`)),
		do("", bash("go test ./pricing/", "Test pricing")),
		do("As feared: division truncates towards zero, so that a refund is a cent off.",
			edit("pricing/vat.go", `// Gross returns the price with tax, rounded half up to whole cents.
func Gross(net, rate int64) int64 {
	return net + (net*rate+5000)/10000
}`, `// Gross returns the price with tax, rounded half away from zero to whole cents, so that a refund
// is exactly what was paid.
func Gross(net, rate int64) int64 {
	if net < 0 {
		return -Gross(-net, rate)
	}
	return net + (net*rate+5000)/10000
}`)),
		do("", bash("go test -count=1 ./... && go vet ./... && gofmt -l .", "Test, vet, format")),
		do("", bash("git diff", "Show the change"), bash("git status --short", "Show the status")),
		do("", bash("git commit -qam 'pricing: round tax in integers' && git log --oneline", "Commit"),
			mark("1", "completed")),
		model.Say("The packages form three rows: `currency` and `pricing` at the bottom; `catalog`, `cart` and " +
			"`stock` above them; " +
			"`order` puts these together, `store` keeps orders on disk, `cmd/shop` is the command. `legacy` is used " +
			"by the command only.\n\n" +
			"The failing test was the tax: `pricing.Gross` truncated. Rates are basis points now (`1900`, `700`), " +
			"rounding is half away from zero, " +
			"also for refunds. All tests pass; committed as *pricing: round tax in integers*.\n\n" +
			"Noted for later: `catalog.Load` still parses prices as float64. I did not touch `currency`."),
	},
}
