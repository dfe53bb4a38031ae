package chars

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Commas prints a number with commas between groups of three digits.
func Commas[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Share prints a part of a whole in whole percent, the same on every face: what is not all of it is never 100%. An estimate
// is marked where it stands; a share of it, which is rounded, is not. vscode-extension/src/text.ts has the same rule.
func Share[N int | int64 | float64](part, whole N) string {
	share := float64(part) * 100 / max(float64(whole), 1e-9)
	switch {
	case 0 < share && share < 0.5:
		return "<1%"
	case 99.5 <= share && part < whole:
		return ">99%"
	}
	return fmt.Sprintf("%.0f%%", math.Round(share)) // halves up; the format alone has them to even
}

// Plural prints a count with its noun: 1 memory, 1,234 lines.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(noun, "day") {
		noun = stem + "ie"
	}
	return Commas(n) + " " + noun + "s"
}

// Times says how often: "once", "twice", "3 times".
func Times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return Commas(n) + " times"
}

// Size prints bytes in the unit that fits.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"KB", "MB", "GB", "TB"}
	f, i := float64(n)/1000, 0
	for f >= 999.95 && i < len(units)-1 { // what would print as 1000.0
		f, i = f/1000, i+1
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// Mark is what stands in front of a figure that is an estimate.
const Mark = "≈"

// Tokens prints a number of tokens, marked unless it is exact: 1 token, ≈12,345 tokens. That there are none is no estimate.
func Tokens[N int | int64](n N, exact bool) string {
	if exact || n == 0 {
		return Plural(n, "token")
	}
	return Mark + Plural(n, "token")
}

// Money prints a sum of dollars, rounded to cents and marked unless it is exact: what providers measured, at list prices, is.
// A negative sum is none. vscode-extension/src/text.ts has the same rule.
func Money(dollars float64, exact bool) string {
	const cent = 0.01
	if 0 < dollars && dollars < cent {
		return "less than $0.01"
	}
	cents := int64(math.Round(max(dollars, 0) / cent))
	said := fmt.Sprintf("$%s.%02d", Commas(cents/100), cents%100)
	if exact || cents == 0 {
		return said
	}
	return Mark + said
}
