package engine_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestWhatEachRequestCarriesHasAPrice: to add a case, add a row. Each answer is what the provider measured of it, the
// parts of one answer in a row; want is dollars for a million tokens at the list prices of the model.
func TestWhatEachRequestCarriesHasAPrice(t *testing.T) {
	const model = "claude-sonnet-4-5"
	m, known := tokens.Builtin().Lookup(model)
	if !known {
		t.Fatalf("%s is not known", model)
	}
	price := func(u tokens.Used) float64 {
		cost := m.Rates(tokens.Terms{}).Cost(u)
		if cost.Unpriced > 0 || cost.Dollars == 0 {
			t.Fatalf("%s has no price", model)
		}
		return cost.Dollars
	}
	const n = 1_000_000
	for name, c := range map[string]struct {
		model    string
		answers  [][]sessions.Usage
		requests int
		want     float64
	}{
		"nothing": {model, nil, 0, 0},
		"uncached": {model, [][]sessions.Usage{{{Input: 9}}, {{Input: 9, Output: 1}}}, 2,
			price(tokens.Used{Input: 2 * n})},
		"written": {model, [][]sessions.Usage{{{Input: 9, CacheWrite: 50}}}, 1,
			price(tokens.Used{CacheWrite: n})},
		"for an hour": {model, [][]sessions.Usage{{{CacheWrite: 50, CacheLong: 50}}}, 1,
			price(tokens.Used{CacheWriteLong: n})},
		"then read": {model, [][]sessions.Usage{{{CacheWrite: 50}}, {{CacheRead: 50, CacheWrite: 9}},
			{{CacheRead: 59}}}, 3,
			price(tokens.Used{CacheWrite: n, CacheRead: 2 * n})},
		"in parts": {model, [][]sessions.Usage{{{CacheRead: 50}, {Output: 3}}}, 1,
			price(tokens.Used{CacheRead: n})},
		"not measured":      {model, [][]sessions.Usage{{{Output: 3}}}, 1, 0},
		"of unknown prices": {"nobody-knows-it", [][]sessions.Usage{{{Input: 9}}}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
			for i, parts := range c.answers {
				for j, u := range parts {
					e := saidAt("assistant", fmt.Sprintf("a%d-%d", i, j), "Yes.", i+1)
					e.Model, e.Group, e.Usage, e.Time = c.model, fmt.Sprint(i), &u, time.Now()
					e.Format = transcript.Anthropic
					list = append(list, e)
				}
			}
			s := readIn(t, l, "h", "s", 100, list)
			st, err := l.Status(t.Context(), ledger.StatusRequest{Session: s.ID, Brief: true})
			if err != nil {
				t.Fatal(err)
			}
			got := 0.0
			if st.CarriedDollars != nil {
				got = *st.CarriedDollars
			}
			if st.Requests != c.requests || math.Abs(got-c.want) > 1e-9 {
				t.Errorf("%d requests for %v dollars, not %d for %v", st.Requests, got, c.requests, c.want)
			}
		})
	}
}

// TestPartsOfRequestsStandBetweenThoseOfOthers: as where two programs write one session. Each is one request, and the window
// holds what all parts of the newest one measured.
func TestPartsOfRequestsStandBetweenThoseOfOthers(t *testing.T) {
	l := open(t)
	list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
	for i, part := range []struct {
		group string
		usage sessions.Usage
	}{
		{"a", sessions.Usage{Input: 100, Output: 1}}, {"b", sessions.Usage{CacheRead: 50, Output: 1}},
		{"a", sessions.Usage{Output: 599}}, {"b", sessions.Usage{Output: 699}}, {"a", sessions.Usage{Output: 5}},
		{"b", sessions.Usage{Output: 1}},
	} {
		e := saidAt("assistant", fmt.Sprint("a", i), "Yes.", i+1)
		e.Model, e.Group, e.Usage, e.Format = "gpt-4o", part.group, &part.usage, transcript.Anthropic
		list = append(list, e)
	}
	s := readIn(t, l, "h", "s", 100, list)
	st := status(t, l, s.ID)
	if st.Requests != 2 || st.Savings.Requests != 2 || st.Savings.Sent != 150 || st.Measured != 751 {
		t.Errorf("%d and %d requests with %d tokens, the newest with %d", st.Requests, st.Savings.Requests,
			st.Savings.Sent, st.Measured)
	}
	stats, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: s.ID})
	if err != nil || len(stats.Turns) != 1 || stats.Turns[0].Measured != 751 {
		t.Errorf("%+v, %v", stats.Turns, err)
	}
}
