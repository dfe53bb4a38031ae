package changes_test

import (
	"fmt"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/fault"
)

// berlin is the zone of who asks.
var berlin = time.FixedZone("CET", 3600)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 23, 16, 0, 0, 0, berlin)
	for in, want := range map[string]string{
		"120": "120", "0": "0", "": "0", " 7 ": "7",
		"2h": "2026-11-23T13:00:00Z", "3d": "2026-11-20T15:00:00Z", "1w": "2026-11-16T15:00:00Z",
		"2026-11-23": "2026-11-22T23:00:00Z", "2026-11-23 14:00": "2026-11-23T13:00:00Z",
		"2026-11-23T14:00:00Z": "2026-11-23T14:00:00Z", "2026-11-23T14:00:00+09:00": "2026-11-23T05:00:00Z",
		"2026-11-23T14:00:00": "2026-11-23T13:00:00Z",
	} {
		got, err := sinceOf(in, now)
		if err != nil || got != want {
			t.Errorf("%q selects since %s, %v; want %s", in, got, err, want)
		}
	}
	for _, wrong := range []string{"-1", "yesterday", "2026-13-01", "99999999999999999999", "2h ago", "\x00"} {
		if _, _, err := changes.ParseSince(wrong, now); !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func sinceOf(s string, now time.Time) (string, error) {
	id, from, err := changes.ParseSince(s, now)
	if !from.IsZero() {
		return from.UTC().Format(time.RFC3339), err
	}
	return fmt.Sprint(id), err
}

// FuzzParseSince: what is read selects either an id or a time, and an age lies in the past.
func FuzzParseSince(f *testing.F) {
	for _, s := range []string{"120", "2h", "3d", "2026-11-23", "2026-11-23 14:00", "2026-11-23T14:00:00Z", "x"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 23, 16, 0, 0, 0, berlin)
	f.Fuzz(func(t *testing.T, s string) {
		id, from, err := changes.ParseSince(s, now)
		if id < 0 || id > 0 && !from.IsZero() || err != nil && (id != 0 || !from.IsZero()) {
			t.Errorf("%q selects since %d and %v, %v", s, id, from, err)
		}
	})
}
