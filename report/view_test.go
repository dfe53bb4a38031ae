package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// spending is one request of a session in a test: at a time, of a model, for so many tokens of input.
type spending struct {
	session, at, model string
	input              int64
}

// measured returns what session files with these requests have.
func measured(t *testing.T, all []spending) (out []*Measured) {
	t.Helper()
	meters, order := map[string]*Meter{}, []string{}
	for i, s := range all {
		m := meters[s.session]
		if m == nil {
			agent, id, _ := strings.Cut(s.session, "/")
			m = NewMeter(tokens.Builtin(), Session{ID: id, Agent: agent, Project: "/p/" + id, Title: "about " + id})
			meters[s.session] = m
			order = append(order, s.session)
		}
		e := Entry{Request: asked(fmt.Sprint(i), s.model, tokens.Used{Input: s.input})}
		if s.at != "" {
			at, err := time.Parse("2006-01-02 15:04", s.at)
			if err != nil {
				t.Fatal(err)
			}
			e.Time = at
		}
		m.Add(e)
	}
	for _, name := range order {
		out = append(out, meters[name].End())
	}
	return out
}

// TestViews has a case for each kind of rows: what they are called, in their order, with their tokens.
func TestViews(t *testing.T) {
	const sonnet, haiku = "claude-sonnet-4-5", "claude-haiku-4-5"
	all := measured(t, []spending{
		{"claude-code/a", "2026-11-01 23:50", sonnet, 1}, // a Sunday
		{"claude-code/a", "2026-11-02 00:10", haiku, 2},
		{"claude-code/b", "2026-11-02 04:55", sonnet, 4},
		{"codex/c", "2026-11-02 05:05", sonnet, 8},
		{"claude-code/b", "2026-12-01 10:00", sonnet, 16},
		{"claude-code/b", "", sonnet, 32},
	})
	kolkata := time.FixedZone("", 5*3600+1800)
	for _, c := range []struct {
		by, from, to string
		zone         *time.Location
		want         string
	}{
		{Daily, "", "", time.UTC, " 32, 2026-11-01 1, 2026-11-02 14, 2026-12-01 16"},
		{Daily, "", "", kolkata, " 32, 2026-11-02 15, 2026-12-01 16"},
		{Daily, "2026-11-02", "2026-11-03", time.UTC, "2026-11-02 14"},
		{Daily, "2027-01-01", "", time.UTC, ""},
		{Weekly, "", "", time.UTC, " 32, 2026-10-26 1, 2026-11-02 14, 2026-11-30 16"},
		{Monthly, "", "", time.UTC, " 32, 2026-11 15, 2026-12 16"},
		{BySession, "", "", time.UTC, "b 52, c 8, a 3"},
		{BySession, "2026-11-01", "2026-11-03", time.UTC, "c 8, b 4, a 3"},
		{ByProject, "", "", time.UTC, "/p/b 52, /p/c 8, /p/a 3"},
		{ByModel, "", "", time.UTC, "claude-sonnet-4-5 61, claude-haiku-4-5 2"},
		{Blocks, "2026-11-01", "2026-11-03", time.UTC,
			"2026-11-01 23:00 claude-code 3, 2026-11-02 04:00 claude-code 4, 2026-11-02 05:00 codex 8"},
		{Blocks, "", "", time.UTC, " claude-code 32, 2026-11-01 23:00 claude-code 3, 2026-11-02 04:00 claude-code 4, " +
			"2026-11-02 05:00 codex 8, 2026-12-01 10:00 claude-code 16"},
	} {
		var in Span
		for day, at := range map[string]*time.Time{c.from: &in.From, c.to: &in.To} {
			if day != "" {
				*at, _ = time.ParseInLocation(time.DateOnly, day, c.zone)
			}
		}
		v := ViewOf(all, c.by, in, time.Date(2027, 1, 1, 0, 0, 0, 0, c.zone))
		var got []string
		var sum int64
		for _, r := range v.Rows {
			name := r.Name
			if c.by == Blocks {
				name += " " + r.Agent
			}
			got = append(got, fmt.Sprint(name, " ", r.Usage.Input))
			sum += r.Usage.Input
		}
		if said := strings.Join(got, ", "); said != c.want || sum != v.Total.Usage.Input {
			t.Errorf("%s from %q to %q: %q, together %d, not %q", c.by, c.from, c.to, said, v.Total.Usage.Input, c.want)
		}
	}
}

// TestABlockThatIsNotOverHasAPace: from its first request on, as if it went on so until it ends.
func TestABlockThatIsNotOverHasAPace(t *testing.T) {
	all := measured(t, []spending{
		{"claude-code/a", "2026-11-02 10:30", "claude-sonnet-4-5", 1_000_000},
		{"claude-code/a", "2026-11-02 12:00", "claude-sonnet-4-5", 1_000_000},
	})
	at := func(hour, minute int) *Pace {
		return ViewOf(all, Blocks, Span{}, time.Date(2026, 11, 2, hour, minute, 0, 0, time.UTC)).Rows[0].Pace
	}
	if p := at(15, 0); p != nil {
		t.Errorf("a block that is over has the pace %+v", *p)
	}
	p := at(12, 30) // two hours of it were used, and half of it is left
	if p == nil || p.Minutes != 150 || !near(p.Tokens, 2e6/120) || !near(p.EndTokens, 2e6*2.25) ||
		!near(p.EndDollars, p.Dollars*4.5) {
		t.Errorf("the pace is %+v", p)
	}
}

// TestViewsOfRandomSessionsAddUp: whatever the rows are, together they are all that was spent.
func TestViewsOfRandomSessionsAddUp(t *testing.T) {
	for seed := range 50 {
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte((i*31 + seed*101 + i*i*7) % 256)
		}
		m := NewMeter(tokens.Builtin(), Session{ID: "s", Agent: "claude-code"})
		for _, e := range entries(script) {
			m.Add(e)
		}
		all := []*Measured{m.End()}
		whole := Merge(all, time.UTC)
		for _, by := range Views {
			v := ViewOf(all, by, Span{}, time.Unix(0, 0).UTC())
			var sum Spent
			for _, r := range v.Rows {
				sum = sum.plus(r.Spent)
			}
			if !near(sum.Dollars, whole.Total.Dollars) || sum.Usage != whole.Total.Usage ||
				v.Total.Requests != whole.Total.Requests {
				t.Fatalf("%s of %d: %+v, not %+v", by, seed, sum, whole.Total)
			}
		}
	}
}
