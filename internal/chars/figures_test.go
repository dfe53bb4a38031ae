package chars

import (
	"encoding/json"
	"os"
	"testing"
)

// TestFiguresAreSaidInOneWay: each face had a format of its own: `$1.23` beside `≈$1.23`, `≈$0.000`, `≈1 tokens`. The table is
// also that of vscode-extension/test/text.test.ts.
func TestFiguresAreSaidInOneWay(t *testing.T) {
	raw, err := os.ReadFile("testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		N     float64
		Exact bool
		Said  string
	}
	var table struct{ Money, Tokens []row }
	if err := json.Unmarshal(raw, &table); err != nil || len(table.Money) == 0 || len(table.Tokens) == 0 {
		t.Fatalf("%d sums and %d tokens: %v", len(table.Money), len(table.Tokens), err)
	}
	for _, c := range table.Money {
		if got := Money(c.N, c.Exact); got != c.Said {
			t.Errorf("%g dollars, exact %t: %q, want %q", c.N, c.Exact, got, c.Said)
		}
	}
	for _, c := range table.Tokens {
		if got := Tokens(int(c.N), c.Exact); got != c.Said {
			t.Errorf("%g tokens, exact %t: %q, want %q", c.N, c.Exact, got, c.Said)
		}
	}
}
