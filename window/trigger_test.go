package window

import "testing"

func TestTriggers(t *testing.T) {
	tried := func(before, after int) Attempt {
		return Attempt{Before: before, After: after, Window: 200_000, Model: "m"}
	}
	few := []Attempt{tried(100_000, 98_000), tried(100_000, 98_000), tried(176_000, 175_000)}
	byHand := tried(100_000, 98_000)
	byHand.Manual = true
	full := func(p *TriggerPolicy) { p.Fraction, p.Effective, p.Idle, p.Gain = 0.85, 0, 0, 0 }
	for _, c := range []struct {
		name   string
		policy func(*TriggerPolicy)
		now    Situation
		want   string
		held   bool // suppressed
	}{
		{"nothing is due", nil, Situation{Window: 180_000, View: 72_000}, "", false},
		{"the request is over its share of the window", nil, Situation{Window: 180_000, View: 72_001}, "threshold",
			false},
		{"the effective window is less", nil, Situation{Window: 1_000_000, View: 80_001}, "threshold", false},
		{"the window is not known", nil, Situation{View: 80_001}, "threshold", false},
		{"it may be over it", nil, Situation{Window: 180_000, View: 72_000, Most: 100_000}, "", false},
		{"less than half of the threshold can be made smaller", nil, Situation{Window: 200_000, View: 119_999,
			Fixed: 80_000}, "", false},
		{"half of it can", nil, Situation{Window: 200_000, View: 120_000, Fixed: 80_000}, "threshold", false},
		{"there is no room for an answer", nil, Situation{Window: 200_000, View: 180_001, Fixed: 170_000}, "threshold",
			false},
		{"there may be none", nil, Situation{Window: 200_000, View: 160_000, Most: 180_001, Fixed: 150_000},
			"threshold", false},
		{"the cache has expired", nil, Situation{Window: 200_000, View: 40_001, Cold: true}, "cache_expired", false},
		{"it has not", nil, Situation{Window: 200_000, View: 40_001}, "", false},
		{"it has, but nothing much is in it", nil, Situation{Window: 200_000, View: 40_001, Fixed: 20_002, Cold: true},
			"", false},
		{"it does not matter", func(p *TriggerPolicy) { p.Idle = 0 }, Situation{Window: 200_000, View: 80_000,
			Cold: true}, "", false},
		{"grace spares an expired cache", nil, Situation{Window: 200_000, View: 60_000, Cold: true, Grace: true}, "",
			false},
		{"a share of the user's", full, Situation{Window: 200_000, View: 170_001}, "threshold", false},
		{"less than that", full, Situation{Window: 200_000, View: 170_000, Cold: true}, "", false},
		{"the reserve is more than 15%", full, Situation{Window: 100_000, View: 80_001}, "threshold", false},
		{"a small window keeps a third", full, Situation{Window: 30_000, View: 20_001}, "threshold", false},
		{"a small window is not full yet", full, Situation{Window: 30_000, View: 20_000}, "", false},
		{"a share of nothing is no bound", func(p *TriggerPolicy) {
			p.Fraction, p.Effective = 0, 0
		}, Situation{Window: 200_000, View: 180_000}, "", false},
		{"no window, no effective window", func(p *TriggerPolicy) { p.Effective = 0 }, Situation{View: 130_001},
			"threshold", false},
		{"turns", nil, Situation{Window: 200_000, Turns: 50}, "window_size", false},
		{"one turn fewer", nil, Situation{Window: 200_000, Turns: 49}, "", false},
		{"grace spares the threshold", nil, Situation{Window: 200_000, View: 180_000, Turns: 50, Grace: true}, "",
			false},
		{"grace ends when the view has grown", nil, Situation{Window: 200_000, View: 120_000, Grace: true,
			Attempts: []Attempt{tried(150_000, 100_000)}}, "threshold", false},
		{"grace does not spare an overflow", nil, Situation{Window: 200_000, Overflow: true, Grace: true},
			"context_exceeded", false},
		{"a trimmed request", nil, Situation{Window: 200_000, Trimmed: true}, "context_exceeded", false},
		{"the agent asks", nil, Situation{Window: 200_000, View: 80_001, Asked: true}, "threshold", false},
		{"the agent asks too early", nil, Situation{Window: 200_000, View: 80_000, Asked: true}, "", false},
		{"the agent asks in the grace turn", nil, Situation{Window: 200_000, View: 100_000, Asked: true, Grace: true},
			"", false},
		{"a person asks", nil, Situation{Window: 200_000, Manual: true}, "manual", false},
		{"the turn's input", func(p *TriggerPolicy) { p.SingleTurn = 10 }, Situation{TurnInput: 11, Grace: true},
			"single_turn_limit", false},
		{"the view before a turn", func(p *TriggerPolicy) { p.SingleTurn = 10 }, Situation{View: 11},
			"single_turn_limit", false},
		{"the view before the grace turn", func(p *TriggerPolicy) { p.SingleTurn = 10 },
			Situation{View: 11, Grace: true}, "", false},
		{"the view before a turn, which nothing makes smaller", func(p *TriggerPolicy) { p.SingleTurn = 10 },
			Situation{Window: 200_000, Model: "m", View: 60_000, Attempts: few}, "", true},
		{"cutover", func(p *TriggerPolicy) { p.CutoverAt = 10 }, Situation{Input: 10}, "cumulative_budget", false},
		{"cutover in the grace turn", func(p *TriggerPolicy) { p.CutoverAt = 10 }, Situation{Input: 10, Grace: true},
			"", false},
		{"overflow comes before the threshold", nil, Situation{Window: 10, View: 100, Overflow: true},
			"context_exceeded", false},

		{"three that saved nothing suppress", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: few}, "", true},
		{"two do not", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few[1:]}, "threshold",
			false},
		{"growth of a tenth arms again", nil, Situation{Window: 200_000, Model: "m", View: 195_000, Attempts: few},
			"threshold", false},
		{"another window arms again", nil, Situation{Window: 190_000, Model: "m", View: 180_000, Attempts: few},
			"threshold", false},
		{"another model arms again", nil, Situation{Window: 200_000, Model: "n", View: 180_000, Attempts: few},
			"threshold", false},
		{"overflow passes the guard", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few,
			Overflow: true}, "context_exceeded", false},
		{"a request passes the guard", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few,
			Manual: true}, "manual", false},
		{"a good one in between releases", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: []Attempt{few[0], tried(100_000, 50_000), few[2]}}, "threshold", false},
		{"one by hand in between releases", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: []Attempt{few[0], byHand, few[2]}}, "threshold", false},
		{"refused ones saved nothing", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: []Attempt{tried(180_000, 180_000), tried(180_000, 180_000), tried(180_000, 180_000)}}, "", true},
		{"the guard is off", func(p *TriggerPolicy) { p.ThrashWindow = 0 },
			Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few}, "threshold", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Default().Compact
			if c.policy != nil {
				c.policy(&p)
			}
			got := p.Due(c.now)
			if got.Reason != c.want || got.Suppressed != c.held || got.Why == "" {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
}
