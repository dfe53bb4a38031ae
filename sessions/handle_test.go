package sessions_test

import (
	"strings"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// The handle of each result leads back to its message and its number.
func TestResultHandles(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 2)
	results := func(calls ...string) (all []sessions.Result) {
		for _, c := range calls {
			all = append(all, sessions.Result{CallID: c})
		}
		return all
	}
	one := tokens.Features{tokens.FeatureBlocks: 1}
	for name, c := range map[string]struct {
		e      sessions.Entry
		call   string
		want   string
		number int
	}{
		"alone":               {sessions.Entry{ID: id, Results: results("a"), Features: one}, "a", "0123456789ab", 0},
		"with an image":       {sessions.Entry{ID: id, Results: results("a")}, "a", "0123456789ab.1", 1},
		"the first of two":    {sessions.Entry{ID: id, Results: results("a", "b")}, "a", "0123456789ab.1", 1},
		"the second of two":   {sessions.Entry{ID: id, Results: results("a", "b")}, "b", "0123456789ab.2", 2},
		"with words":          {sessions.Entry{ID: id, Results: results("a"), Chars: 7}, "a", "0123456789ab.1", 1},
		"of another call":     {sessions.Entry{ID: id, Results: results("a")}, "b", "", 0},
		"of a message unread": {sessions.Entry{Results: results("a")}, "a", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.e.ResultHandle(c.call)
			message, number := sessions.SplitHandle(got)
			if got != c.want || number != c.number || got != "" && message != c.e.Handle() {
				t.Errorf("handle %q, which is result %d of %q; want %q", got, number, message, c.want)
			}
		})
	}
}

// The handle of a range leads back to it; anything else names a session.
func TestRangeHandles(t *testing.T) {
	handle := sessions.RangeHandle("ab03de2c", 12, 40)
	if id, from, to := sessions.SplitRange(handle); handle != "ab03de2c.12-40" || id != "ab03de2c" || from != 12 ||
		to != 40 {
		t.Errorf("%s is %d-%d of %s", handle, from, to, id)
	}
	for _, other := range []string{"ab03de2c", "ab03de2c.2", "ab03de2c.0-4", "ab03de2c.5-4", "ab03de2c.01-4",
		"ab03de2c.1-4x", "."} {
		if id, from, to := sessions.SplitRange(other); id != other || from != 0 || to != 0 {
			t.Errorf("%q is %d-%d of %q", other, from, to, id)
		}
	}
}
