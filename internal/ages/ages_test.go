package ages

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const day = 24 * time.Hour
	for in, want := range map[string]time.Duration{
		"90d": 90 * day, "12w": 84 * day, "36h": 36 * time.Hour, "1h30m": 90 * time.Minute, "1s": time.Second,
		"": 0, "d": 0, "-1d": 0, "0d": 0, "1.5d": 0, "5": 0, "1ms": 0, "99999999999d": 0, "100001d": 0,
		"14286w": 0, "tomorrow": 0,
	} {
		if got, ok := Parse(in); ok != (want > 0) || ok && got != want {
			t.Errorf("%q is %v, %v; want %v", in, got, ok, want)
		}
	}
}
