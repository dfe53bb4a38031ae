package chars

import (
	"fmt"
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

// Share prints a part of a whole in whole percent, the same on every face: what is not all of it is never 100 %. An estimate
// is marked where it stands; a share of it, which is rounded, is not.
func Share[N int | int64 | float64](part, whole N) string {
	share := float64(part) * 100 / max(float64(whole), 1e-9)
	switch {
	case 0 < share && share < 0.5:
		return "<1 %"
	case 99.5 <= share && part < whole:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", share)
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

// Money is how a sum of dollars at list prices is shown, the same on every face.
func Money(dollars float64) string {
	switch {
	case dollars < 0.001:
		return "less than $0.001"
	case dollars < 0.1:
		return "≈$" + strconv.FormatFloat(dollars, 'f', 3, 64)
	}
	return "≈$" + strconv.FormatFloat(dollars, 'f', 2, 64)
}
