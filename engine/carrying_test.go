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

// million is how many tokens list prices are for.
const million = 1_000_000

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
	const n = million
	for name, c := range map[string]struct {
		model    string
		answers  [][]sessions.Usage
		requests int
		want     float64
	}{
		"nothing": {model, nil, 0, 0},
		"uncached": {model, [][]sessions.Usage{{{Input: 9}}, {{Input: 9, Output: 1}}}, 2,
			price(tokens.Used{Input: 2 * n})},
		"written": {model, [][]sessions.Usage{{{CacheWrite: 50}}}, 1,
			price(tokens.Used{CacheWrite: n})},
		"written in part": {model, [][]sessions.Usage{{{Input: 10, CacheWrite: 40}}}, 1,
			price(tokens.Used{Input: n / 5, CacheWrite: n * 4 / 5})},
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
			st, err := l.Status(t.Context(), ledger.StatusRequest{Session: s.ID, Brief: true, Cost: true})
			if err != nil {
				t.Fatal(err)
			}
			// A brief status, which editors ask for, has the same cost as a full one.
			if whole, err := l.Status(t.Context(), ledger.StatusRequest{Session: s.ID}); err != nil ||
				whole.Cost.Words() != st.Cost.Words() || whole.Requests > 0 && st.Cost.Words() == "" {
				t.Errorf("in brief it cost %q, not %q (%v)", st.Cost.Words(), whole.Cost.Words(), err)
			}
			window, err := l.Status(t.Context(), ledger.StatusRequest{Session: s.ID, Brief: true})
			if err != nil || window.Cost.Words() != "" || window.Held != st.Held {
				t.Errorf("unasked, it cost %q, %v", window.Cost.Words(), err)
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

// TestEachRequestPaysForWhatItCarriedAtItsOwnPrice: that of its model and its terms, not of the session's newest. Those without
// a price, smaller than what is fixed, or of models that count otherwise are left out, and the session's cost is not exceeded.
func TestEachRequestPaysForWhatItCarriedAtItsOwnPrice(t *testing.T) {
	const haiku, opus, sonnet = "claude-haiku-4-5", "claude-opus-4-1", "claude-sonnet-4-5"
	written, read := sessions.Usage{CacheWrite: 9_000}, sessions.Usage{CacheRead: 9_000, CacheWrite: 20}
	long := sessions.Usage{CacheRead: 150_000, Input: 100_000}
	call := func(model string, u sessions.Usage, words ...string) sessions.Charge {
		return sessions.Charge{Model: model, Terms: tokens.TermsOf(int64(u.Prompt()), words...), Usage: u}
	}
	for name, c := range map[string]struct {
		calls []sessions.Charge
		want  float64 // dollars for a million
		by    int
		next  float64 // dollars for a million of what the window holds
	}{
		"as it is": {[]sessions.Charge{call(sonnet, written), call(sonnet, read)}, 3.75 + 0.3, 2, 0.3},
		"the newest is dear": {[]sessions.Charge{call(haiku, written), call(haiku, read), call(haiku, read),
			call(opus, written)}, 1.25 + 2*0.1 + 18.75, 4, 1.5},
		"a batch":       {[]sessions.Charge{call(sonnet, written, "batch"), call(sonnet, read)}, 3.75/2 + 0.3, 2, 0.3},
		"above 200,000": {[]sessions.Charge{call(sonnet, written), call(sonnet, long)}, 3.75 + 0.6, 2, 0.6},
		"without a price": {[]sessions.Charge{call(sonnet, written), call("nobody-knows", read), call(sonnet, read)},
			3.75 + 0.3, 2, 0.3},
		"counted otherwise": {[]sessions.Charge{call(haiku, written), call("claude-opus-4-7", read)}, 0.5, 1, 0.5},
		"too small": {[]sessions.Charge{call(sonnet, written), call(sonnet, sessions.Usage{Input: 300}),
			call(sonnet, read)}, 3.75 + 0.3, 2, 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
			for i, call := range c.calls {
				e := saidAt("assistant", fmt.Sprint("a", i), "Yes.", i+1)
				e.Model, e.Usage, e.Bill = call.Model, &call.Usage, sessions.Bill{call}
				e.Format = transcript.Anthropic
				list = append(list, e)
			}
			st := status(t, l, readIn(t, l, "h", "s", 100, list).ID)
			if st.CarriedDollars == nil || math.Abs(*st.CarriedDollars-c.want) > 1e-9 || st.CarriedBy != c.by {
				t.Fatalf("%v by %d requests, not %v by %d", st.CarriedDollars, st.CarriedBy, c.want, c.by)
			}
			if cost := *st.CarriedDollars * float64(st.Fixed.N) / million; cost > *st.Dollars {
				t.Errorf("$%v of a session of $%v", cost, *st.Dollars)
			}
			if got := *st.NextDollars * million / float64(st.Held.N); math.Abs(got-c.next) > 1e-9 {
				t.Errorf("the next request pays $%v for a million tokens, not %v", got, c.next)
			}
		})
	}
}

// TestTheNextRequestPaysByWhatTheCacheHas: once the provider's cache has dropped the window it is written anew, and where
// nothing of the session was ever cached it costs what any input does.
func TestTheNextRequestPaysByWhatTheCacheHas(t *testing.T) {
	for name, c := range map[string]struct {
		used sessions.Usage
		ago  time.Duration
		by   string
		want float64 // dollars for a million
	}{
		"just now":      {sessions.Usage{CacheWrite: 9_000}, time.Second, ledger.NextRead, 0.3},
		"after minutes": {sessions.Usage{CacheWrite: 9_000}, 10 * time.Minute, ledger.NextAnew, 3.75},
		"kept for an hour": {sessions.Usage{CacheWrite: 9_000, CacheLong: 9_000}, 10 * time.Minute,
			ledger.NextRead, 0.3},
		"after hours":       {sessions.Usage{CacheWrite: 9_000, CacheLong: 9_000}, 2 * time.Hour, ledger.NextAnew, 6},
		"nothing is cached": {sessions.Usage{Input: 9_000}, time.Second, ledger.NextUncached, 3},
	} {
		t.Run(name, func(t *testing.T) {
			l, clock := openIn(t, t.TempDir(), "/home/dev/shop")
			e := saidAt("assistant", "a", "Yes.", 1)
			e.Model, e.Usage, e.Format = "claude-sonnet-4-5", &c.used, transcript.Anthropic
			e.Time = clock.now.Add(-c.ago)
			list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0), e}
			st := status(t, l, readIn(t, l, "h", "s", 100, list).ID)
			got := *st.NextDollars * million / float64(st.Held.N)
			if st.NextBy != c.by || math.Abs(got-c.want) > 1e-9 {
				t.Errorf("%s: $%v for a million, not %s: %v", st.NextBy, got, c.by, c.want)
			}
			stats, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: st.Session.ID})
			if err != nil || stats.NextWords() != st.NextWords() || st.NextWords() == "" {
				t.Errorf("the panel says %q, the status %q, %v", stats.NextWords(), st.NextWords(), err)
			}
		})
	}
}

// TestWhatIsCarriedIsReadFromTheCacheOnlyAsFarAsThatReaches: the rest is paid as the rest of the request is.
func TestWhatIsCarriedIsReadFromTheCacheOnlyAsFarAsThatReaches(t *testing.T) {
	l := open(t)
	list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
	for i, u := range []sessions.Usage{{CacheWrite: 9_000}, {CacheRead: 2_000, CacheWrite: 7_500}} {
		e := saidAt("assistant", fmt.Sprint("a", i), "Yes.", i+1)
		e.Model, e.Usage, e.Format = "claude-sonnet-4-5", &u, transcript.Anthropic
		list = append(list, e)
	}
	st := status(t, l, readIn(t, l, "h", "s", 100, list).ID)
	share := 2_000 / float64(st.Fixed.N)
	if want := 3.75 + share*0.3 + (1-share)*3.75; math.Abs(*st.CarriedDollars-want) > 1e-4 || st.CarriedBy != 2 {
		t.Errorf("%v by %d requests, not %v", *st.CarriedDollars, st.CarriedBy, want)
	}
}

// TestEachPartOfAPromptIsCachedForItsOwnTime: what was written for an hour stays so long after its last use, whatever was written
// behind it, and a request that finds less uses only that.
func TestEachPartOfAPromptIsCachedForItsOwnTime(t *testing.T) {
	long := sessions.Usage{CacheWrite: 8_000, CacheLong: 8_000}
	short := sessions.Usage{CacheRead: 8_000, CacheWrite: 2_000}
	for name, c := range map[string]struct {
		used []sessions.Usage // a minute apart
		ago  time.Duration    // of the newest
		by   string
		want float64 // dollars
	}{
		"then for minutes": {[]sessions.Usage{long, short}, 10 * time.Minute,
			ledger.NextPart, 8_000*0.3 + 2_000*3.75},
		"all is warm": {[]sessions.Usage{long, short}, time.Minute, ledger.NextRead, 10_000 * 0.3},
		"all is over": {[]sessions.Usage{long, short}, 2 * time.Hour, ledger.NextAnew, 10_000 * 3.75},
		"the other way": {[]sessions.Usage{{CacheWrite: 2_000},
			{CacheRead: 2_000, CacheWrite: 8_000, CacheLong: 8_000}},
			10 * time.Minute, ledger.NextRead, 10_000 * 0.3},
		"less was read": {[]sessions.Usage{long, {CacheRead: 6_000, CacheWrite: 4_000}}, 10 * time.Minute,
			ledger.NextPart, 6_000*0.3 + 4_000*3.75},
		"written by others": {[]sessions.Usage{{CacheRead: 5_000, CacheWrite: 5_000}}, 10 * time.Minute,
			ledger.NextAnew, 10_000 * 3.75},
	} {
		t.Run(name, func(t *testing.T) {
			l, clock := openIn(t, t.TempDir(), "/home/dev/shop")
			list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
			for i, u := range c.used {
				e := saidAt("assistant", fmt.Sprint("a", i), "Yes.", 1)
				e.Model, e.Usage, e.Format = "claude-sonnet-4-5", &u, transcript.Anthropic
				e.Time = clock.now.Add(-c.ago - time.Duration(len(c.used)-1-i)*time.Minute)
				list = append(list, e)
			}
			st := status(t, l, readIn(t, l, "h", "s", 100, list).ID)
			if got := *st.NextDollars * million; st.NextBy != c.by || math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%s: %v, not %s: %v; %s", st.NextBy, got, c.by, c.want, st.NextWords())
			}
		})
	}
}

// TestACacheThatIsNotAskedForComesWithTheNextRequest: a first request of a model of OpenAI reads nothing, the next one does.
// It does not where one soon after another found nothing, or where the prompt is too small.
func TestACacheThatIsNotAskedForComesWithTheNextRequest(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		input []int64 // of requests that read nothing, a minute apart
		ago   time.Duration
		by    string
	}{
		"the first one":          {"gpt-5", []int64{9_000}, time.Minute, ledger.NextRead},
		"after minutes":          {"gpt-5", []int64{9_000}, 10 * time.Minute, ledger.NextAnew},
		"nothing is read":        {"gpt-5", []int64{9_000, 9_500}, time.Minute, ledger.NextUncached},
		"small":                  {"gpt-5", []int64{900}, time.Minute, ledger.NextUncached},
		"it has to be asked for": {"claude-sonnet-4-5", []int64{9_000}, time.Minute, ledger.NextUncached},
	} {
		t.Run(name, func(t *testing.T) {
			l, clock := openIn(t, t.TempDir(), "/home/dev/shop")
			list := []sessions.NewEntry{saidAt("user", "u", "Go on.", 0)}
			for i, n := range c.input {
				e := saidAt("assistant", fmt.Sprint("a", i), "Yes.", 1)
				e.Model, e.Usage, e.Format = c.model, &sessions.Usage{Input: n}, transcript.Anthropic
				e.Time = clock.now.Add(-c.ago - time.Duration(len(c.input)-1-i)*time.Minute)
				list = append(list, e)
			}
			if st := status(t, l, readIn(t, l, "h", "s", 100, list).ID); st.NextBy != c.by {
				t.Errorf("%s, not %s: %s", st.NextBy, c.by, st.NextWords())
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
