package effects_test

import (
	"fmt"

	"ctxledger.dev/compaction/effects"
)

func ExampleTracker() {
	t := effects.Tracker{Dir: "/shop"}
	t.Edit(
		1,
		10,
		effects.Edit{
			Path: "/shop/money.go",
			Old:  "// Amounts",
			New:  "func FromCents(c int64) Amount {\n}\n\n// Amounts",
		},
	)
	t.Edit(2, 20, effects.Edit{Path: "/shop/total.go", Old: "round(x)", New: "x"})
	t.Shell(3, 30, "git checkout -- total.go && go test ./...", true)
	for _, f := range t.Files() {
		fmt.Println(f.State, f.Path, f.Added, f.By, f.ByTurn)
	}
	// Output:
	// changed money.go [FromCents]  0
	// undone total.go [] git checkout 3
}
