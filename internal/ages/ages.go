// Package ages reads ages as people write them: 90d, 12w, 36h.
package ages

import (
	"strconv"
	"strings"
	"time"
)

// maxDays bounds an age: a time.Duration holds some 106,000 days.
const maxDays = 100_000

// Parse reads a positive age: days (90d), weeks (12w), or hours, minutes and seconds as Go writes them (36h, 1h30m).
func Parse(s string) (time.Duration, bool) {
	for unit, days := range map[string]int64{"d": 1, "w": 7} {
		number, ok := strings.CutSuffix(s, unit)
		if n, err := strconv.ParseInt(number, 10, 32); ok && err == nil && n > 0 && n*days <= maxDays {
			return time.Duration(n*days) * 24 * time.Hour, true
		}
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= time.Second
}
