package records_test

import (
	"fmt"

	"ctxledger.dev/records"
)

// An address names its thing by kind and id; the rest is for a tab.
func ExampleParse() {
	a, err := records.Parse("ctxledger:/artifact/9ca5eced9ac7/products.csv")
	fmt.Println(a.Kind, a.ID, a.Title, err)
	fmt.Println(a)
	// Output:
	// artifact 9ca5eced9ac7 products.csv <nil>
	// ctxledger:/artifact/9ca5eced9ac7/products.csv
}
