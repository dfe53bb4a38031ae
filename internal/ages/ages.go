// Package ages reads times as people write them: 90d, 12w, 36h, 2026-11-23, 2026-11-23 14:00.
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

// layouts are the forms of a point in time. Without a zone it is that of the reader.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"}

// When reads a point in time, which is from and to, a day, which is all of it, or an age, which is so long before now. Without a
// zone it is in now's.
func When(s string, now time.Time) (from, to time.Time, ok bool) {
	if age, is := Parse(s); is {
		at := now.Add(-age)
		return at, at, true
	}
	if day, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return day, day.AddDate(0, 0, 1), true
	}
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return at, at, true
		}
	}
	return time.Time{}, time.Time{}, false
}
