package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// times are measured durations.
type times []time.Duration

// at returns the value that the share q of the durations does not exceed: 0.5 is the median.
func (t times) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(t))
	return s[min(len(s)-1, max(0, int(math.Ceil(q*float64(len(s))))-1))]
}

// median of the durations: a single outlier does not change it.
func (t times) median() time.Duration { return t.at(0.5) }

// clock measures one call.
func (t *times) clock(f func() error) error {
	began := time.Now()
	err := f()
	*t = append(*t, time.Since(began))
	return err
}

// rate prints a speed in MB a second.
func rate(bytes int64, d time.Duration) string {
	return fmt.Sprintf("%.1f MB/s", float64(bytes)/1e6/d.Seconds())
}

// millis prints a duration with three significant digits.
func millis(d time.Duration) string {
	if ms := float64(d) / 1e6; ms < 1000 {
		return significant(ms) + " ms"
	}
	return significant(d.Seconds()) + " s"
}

// micros prints a duration with three significant digits, from nanoseconds on.
func micros(d time.Duration) string {
	if us := float64(d) / 1e3; us < 1000 {
		return significant(us) + " µs"
	}
	return millis(d)
}

// significant prints a number from a thousandth on with three significant digits.
func significant(v float64) string {
	switch {
	case v < 1:
		return fmt.Sprintf("%.3f", v)
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// ratio prints a divided by b.
func ratio(a, b time.Duration) string {
	r := float64(a) / float64(b)
	if r >= 10 {
		return fmt.Sprintf("%.0f ×", r)
	}
	return fmt.Sprintf("%.2f ×", r)
}

// megabytes prints a size.
func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/1e6) }
