package tokens_test

import (
	"math"
	"testing"

	"ctxledger.dev/tokens"
)

// TestDollars: to add a case, add a row. Prices are dollars for a million tokens; "" is one that is not known.
func TestDollars(t *testing.T) {
	const million = 1_000_000
	for _, c := range []struct {
		name                       string
		input, read, write, output string
		used                       tokens.Used
		want                       float64
		known                      bool
	}{
		{"nothing", "", "", "", "", tokens.Used{}, 0, true},
		{"all", "3", "0.3", "3.75", "15", tokens.Used{Input: million, CachedRead: million, CachedWrite: million,
			LongWrite: million, Output: million}, 3 + 0.3 + 3.75 + 6 + 15, true},
		{"a cache without a price", "3", "", "", "15", tokens.Used{CachedRead: million, CachedWrite: million}, 6, true},
		{"an unknown price of what was used", "3", "", "", "", tokens.Used{Output: 1}, 0, false},
		{"an unknown price of what was not used", "3", "", "", "", tokens.Used{Input: million}, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p tokens.Price
			for text, into := range map[*string]*tokens.Rate{
				&c.input: &p.Input, &c.read: &p.CachedRead, &c.write: &p.CachedWrite, &c.output: &p.Output,
			} {
				if *text == "" {
					continue
				}
				if err := into.UnmarshalText([]byte(*text)); err != nil {
					t.Fatal(err)
				}
			}
			got, known := p.Dollars(c.used)
			if math.Abs(got-c.want) > 1e-9 || known != c.known {
				t.Errorf("%v, %v, want %v, %v", got, known, c.want, c.known)
			}
		})
	}
}
