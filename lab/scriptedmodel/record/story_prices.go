package main

import model "ctxledger.dev/lab/scriptedmodel"

// centsFirst parses prices, and forgets "49.5".
const centsFirst = `package catalog

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPrice is the highest price that is believed, in cents.
const maxPrice = 100_000_00

// ParseCents reads a price such as 12.50 or 12,50 as cents, without floating point.
func ParseCents(s string) (int64, error) {
	whole, fraction, found := strings.Cut(strings.Replace(strings.TrimSpace(s), ",", ".", 1), ".")
	if !found {
		fraction = "00"
	}
	if len(fraction) != 2 {
		return 0, fmt.Errorf("catalog: price %q: want two digits after the point", s)
	}
	cents, err := strconv.ParseUint(whole+fraction, 10, 63)
	if err != nil || cents > maxPrice {
		return 0, fmt.Errorf("catalog: price %q: not between 0 and %d cents", s, maxPrice)
	}
	return int64(cents), nil
}
`

const centsTest = `package catalog

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseCents(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
	}{
		{"12.50", 1250}, {"12,50", 1250}, {" 7 ", 700}, {"0.01", 1}, {"49.5", 4950}, {"19.99", 1999}, {"1.15", 115},
	} {
		if got, err := ParseCents(c.in); err != nil || got != c.want {
			t.Errorf("ParseCents(%q) = %d, %v; want %d", c.in, got, err, c.want)
		}
	}
}

func TestParseCentsRefuses(t *testing.T) {
	for _, in := range []string{"", ".", "-1.00", "1.234", "1,234.50", "12.5O", "１２.00", "1000000.00", "+5.00", "1e3"} {
		if got, err := ParseCents(in); err == nil {
			t.Errorf("ParseCents(%q) = %d, want an error", in, got)
		}
	}
}

func TestEveryPriceSurvivesTheLoader(t *testing.T) {
	var b strings.Builder
	b.WriteString("sku,name,price,tax,stock\n")
	for cents := range 30000 {
		fmt.Fprintf(&b, "P-%05d,x,%d.%02d,normal,1\n", cents, cents/100, cents%100)
	}
	products, err := Load(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for cents, p := range products {
		if p.Cents != int64(cents) {
			t.Errorf("%d.%02d was read as %d cents", cents/100, cents%100, p.Cents)
		}
	}
}
`

// pricesChapter: floating point in the loader, and much output.
var pricesChapter = chapter{
	prompt: "Customers say some prices are one cent too low. I suspect the CSV import. Check data/products.csv as a " +
		"whole, prove the mistake with a test, " +
		"fix the loader. Do not change the data file, it comes from the supplier.",
	steps: model.Script{
		do("I look at the loader again, and at the whole file.", read("catalog/load.go"),
			bash("wc data/*; head -5 data/products.csv", "Size of the data")),
		do("", read("data/products.csv")),
		do("Which forms do prices have?", grep("\"[0-9]+,[0-9]+\"", "data/products.csv"),
			bash("cut -d, -f3 data/products.csv | grep -vcE '^[0-9]+\\.[0-9]{2}$'", "Count unusual prices")),
		think("int64(price*100) truncates: 19.99*100 = 1998.9999999999998. Let the test go through every price up to "+
			"300.00 to show how many are hit.",
			"`int64(price * 100)` truncates: 19.99 becomes 1998. I prove it for every price up to 300.00.",
			plan("Parse prices without float", "ParseCents, accept 12.50, 12,50, 12.5 and 12"),
			write("catalog/cents_test.go", centsTest)),
		do("", bash("go test ./catalog/ 2>&1", "Show that it fails")),
		do("The function first, then the loader.", write("catalog/cents.go", centsFirst), mark("8", "in_progress")),
		do("", bash("go test -run Survives ./catalog/ 2>&1", "How many prices are wrong?")),
		do("Every one of these was a cent too low. Now the loader.",
			edit("catalog/load.go", `		price, err := strconv.ParseFloat(strings.ReplaceAll(row[2], ",", "."), 64)`,
				`		cents, err := ParseCents(row[2])`)),
		do("", grep("ParseFloat|price", "catalog/load.go")),
		do("It is `strings.Replace` with a count.",
			edit("catalog/load.go", `		price, err := strconv.ParseFloat(strings.Replace(row[2], ",", ".", 1), 64)`,
				`		cents, err := ParseCents(row[2])`)),
		do("", edit("catalog/load.go", `			Cents: int64(price * 100),`, `			Cents: cents,`),
			bash("go build ./catalog/ 2>&1", "Build catalog")),
		do("", edit("catalog/load.go", `	"strconv"
	"strings"
)`, `	"strconv"
)`)),
		do("", bash("go test ./catalog/ 2>&1", "Test catalog")),
		do("`49.5` occurs in the supplier's file too; one digit means tenths. `+5.00` must be refused and is: "+
			"ParseUint takes no sign.",
			edit("catalog/cents.go", `	if len(fraction) != 2 {
		return 0, fmt.Errorf("catalog: price %q: want two digits after the point", s)
	}`, `	if len(fraction) == 1 {
		fraction += "0" // 49.5 are 49 euros and 50 cents
	}
	if len(fraction) != 2 {
		return 0, fmt.Errorf("catalog: price %q: want at most two digits after the point", s)
	}`)),
		do("", bash("go test -v ./catalog/ 2>&1", "Test catalog")),
		do("An empty price must not be a price of nothing.", edit("catalog/cents.go", `	if !found {
		fraction = "00"
	}`, `	if whole == "" {
		return 0, fmt.Errorf("catalog: price %q: no digits before the point", s)
	}
	if !found {
		fraction = "00"
	}`)),
		do("", bash("go test ./catalog/ 2>&1", "Test catalog")),
		do("Now the whole file, old parser against new.",
			bash("mkdir -p out && cat > out/compare_test.go <<'END'\npackage out\n\nimport (\n\t\"encoding/csv\"\n"+
				"\t\"os\"\n\t\"strconv\"\n\t\"strings\"\n\t\"testing\"\n\n\t\"shop.example/catalog\"\n)\n\n"+
				"func TestCompare(t *testing.T) {\n\tf, err := os.Open(\"../data/products.csv\")\n\tif err != nil {\n"+
				"\t\tt.Fatal(err)\n\t}\n\trows, err := csv.NewReader(f).ReadAll()\n\tif err != nil {\n"+
				"\t\tt.Fatal(err)\n\t}\n\twrong := 0\n\tfor i, row := range rows[1:] {\n"+
				"\t\tcents, err := catalog.ParseCents(row[2])\n\t\tif err != nil {\n"+
				"\t\t\tt.Errorf(\"line %d: %v\", i+2, err)\n\t\t}\n"+
				"\t\told, _ := strconv.ParseFloat(strings.Replace(row[2], \",\", \".\", 1), 64)\n"+
				"\t\tif int64(old*100) != cents {\n\t\t\twrong++\n"+
				"\t\t\tt.Logf(\"line %4d  %-12s %-32s was %6d, is %6d\", i+2, row[0], row[1], int64(old*100), cents)\n"+
				"\t\t}\n\t}\n\tt.Logf(\"%d of %d prices were wrong\", wrong, len(rows)-1)\n}\nEND\n"+
				"go test -v ./out/ 2>&1", "Compare both parsers on the supplier's file")),
		do("Did past orders suffer? They hold line prices; I look at all of them.", read("data/orders.ndjson")),
		do("", bash("rm out/compare_test.go && git status --short", "Clean up"),
			readPart("data/products.csv", 600, 120)),
		do("The list as customers see it now:",
			bash("go build -o bin/shop ./cmd/shop && ./bin/shop list", "Print the catalogue")),
		do("", bash("go vet ./... && go test -count=1 ./... 2>&1", "Vet and test"),
			bash("grep -rn 'float64' --include='*.go' . || true", "Floats left?")),
		do("A fuzz test is cheap here: whatever is accepted must print back as the same number.",
			edit("catalog/cents_test.go", `func TestParseCentsRefuses(`, `func FuzzParseCents(f *testing.F) {
	f.Add("12.50")
	f.Add("49,5")
	f.Fuzz(func(t *testing.T, s string) {
		cents, err := ParseCents(s)
		if err != nil {
			return
		}
		again, err := ParseCents(fmt.Sprintf("%d.%02d", cents/100, cents%100))
		if err != nil || again != cents {
			t.Errorf("ParseCents(%q) = %d, printed and read again: %d, %v", s, cents, again, err)
		}
	})
}

func TestParseCentsRefuses(`)),
		do("", bash("go test -run XXX -fuzz FuzzParseCents -fuzztime 2000x ./catalog/ 2>&1 | tail -5",
			"Fuzz the parser")),
		do("", bash("git add -A && git commit -qm 'catalog: read prices as cents' && git show --stat HEAD", "Commit"),
			bash("git diff --stat HEAD~1 -- data currency", "Data and currency untouched?"), mark("8", "completed")),
		model.Say("Your suspicion was right: the loader multiplied a float by 100 and truncated, so that for example " +
			"19.99 was read as 1998 cents. " +
			"`catalog.ParseCents` reads the digits directly and accepts `12.50`, `12,50`, `12.5` and `12`; every " +
			"price up to 300.00 is tested, and a fuzz test covers the rest. " +
			"The supplier's file and `currency` are unchanged. Past orders keep the prices at which they were " +
			"placed. Committed."),
	},
}
