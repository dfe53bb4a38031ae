package main

import (
	"fmt"
	"strings"
)

// The sizes of the generated files: large enough that reading one fills more of a context than
// reading all of the source code.
const (
	productLines = 1400
	orderLines   = 420
)

// kinds are the products, of which each line of the catalogue is a variant.
var kinds = []struct{ sku, name, tax string }{
	{"CHAIR", "Stuhl", "normal"}, {"LAMP", "Leuchte", "normal"}, {"BOOK", "Gartenbuch", "reduced"},
	{"TABLE", "Tisch", "normal"}, {"TEA", "Grüner Tee 绿茶", "reduced"}, {"SHELF", "Regal", "normal"},
	{"HONEY", "Honig aus dem Münsterland", "reduced"},
}

// finishes distinguish the variants of a kind.
var finishes = []string{"Birke", "Eiche geölt", "Kirsche", "weiß lackiert", "Größe L", "Buche", "Ahorn", "Nuss"}

// products returns the catalogue as CSV. Prices are spread without a pattern that a reader could
// guess, and a few are written with a comma, as the real ones of such shops are.
func products() string {
	var b strings.Builder
	b.WriteString("sku,name,price,tax,stock\n")
	for i := range productLines {
		kind, finish := kinds[i%len(kinds)], finishes[(i*5+i/7)%len(finishes)]
		cents := 299 + (i*7919)%24000
		price := fmt.Sprintf("%d.%02d", cents/100, cents%100)
		switch {
		case i%97 == 11:
			price = fmt.Sprintf("\"%d,%02d\"", cents/100, cents%100)
		case i%311 == 42:
			price = fmt.Sprintf("%d.%d", cents/100, cents/10%10)
		}
		fmt.Fprintf(&b, "%s-%04d,%s %s,%s,%s,%d\n", kind.sku, i+1, kind.name, finish, price, kind.tax, (i*31)%60)
	}
	return b.String()
}

// orders returns the orders of half a year, one JSON object a line.
func orders() string {
	var b strings.Builder
	for i := range orderLines {
		net := int64(1500 + (i*6007)%90000)
		gross := net + (net*1900+5000)/10000
		n := i%4 + 1
		sku := fmt.Sprintf("%s-%04d", kinds[i*3%len(kinds)].sku, i*3+1)
		fmt.Fprintf(&b, `{"id":"o-%05d","day":"2026-%02d-%02d","currency":"EUR","lines":[{"sku":"%s","name":"%s %s",`+
			`"pieces":%d,"net":%d,"gross":%d}],"net":%d,"gross":%d}`+"\n",
			i+1, i/70+1, i%28+1, sku, kinds[i*3%len(kinds)].name, finishes[i%len(finishes)], n, net, gross, net, gross)
	}
	return b.String()
}
