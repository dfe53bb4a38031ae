package changes

import (
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/ages"
	"ctxledger.dev/internal/fault"
)

// ParseSince reads since what changes are asked for: the id of a change, a time (2026-11-23, 2026-11-23 14:00, RFC 3339) or
// an age (2h, 3d). An empty s is id 0: all. Errors: invalid, with the right form.
func ParseSince(s string, now time.Time) (id int64, from time.Time, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, time.Time{}, nil
	}
	if id, err := strconv.ParseInt(s, 10, 64); err == nil && id >= 0 {
		return id, time.Time{}, nil
	}
	if from, _, ok := ages.When(s, now); ok {
		return 0, from, nil
	}
	err = fault.New(fault.Invalid, "changes.since", "%.1000q is neither a time, an age nor the number of a change", s).
		WithHint("write 2026-11-23, 2026-11-23T14:00:00Z, 2h, 3d or a change's number, such as 120")
	return 0, time.Time{}, err
}
