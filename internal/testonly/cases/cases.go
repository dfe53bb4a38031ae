// Package cases says how many random cases a test takes, so that make test is quick and make volume is thorough.
//
// Start at Some. The package deliberately knows no test: what needs no more than its few cases does not ask.
package cases

import (
	"flag"
	"testing"
)

var whole = flag.Bool("whole", false, "take all random cases of a test; make volume")

// Some returns n with -whole, a fifth of it in an ordinary run, and a tenth in a short one, at least one. Under the race
// detector goroutines have to meet; what only needs many cases has more of them in the runs without it.
func Some(n int) int {
	switch {
	case *whole:
		return n
	case testing.Short():
		return max(1, n/10)
	}
	return max(1, n/5)
}
