package window

import "testing"

func TestTriggers(t *testing.T) {
	tried := func(before, after int) Attempt {
		return Attempt{Before: before, After: after, Window: 200_000, Model: "m"}
	}
	few := []Attempt{tried(100_000, 98_000), tried(100_000, 98_000), tried(176_000, 175_000)}
	byHand := tried(100_000, 98_000)
	byHand.Manual = true
	for _, c := range []struct {
		name   string
		policy func(*TriggerPolicy)
		now    Situation
		want   string
		held   bool // suppressed
	}{
		{"nothing is due", nil, Situation{Window: 200_000, View: 170_000}, "", false},
		{"the view is over 85 % of the window", nil, Situation{Window: 200_000, View: 170_001}, "threshold", false},
		{"the reserve is more than 15 %", nil, Situation{Window: 100_000, View: 80_001}, "threshold", false},
		{"a small window keeps a third", nil, Situation{Window: 30_000, View: 20_001}, "threshold", false},
		{"a small window is not full yet", nil, Situation{Window: 30_000, View: 20_000}, "", false},
		{"the window is not known", nil, Situation{View: 130_001}, "threshold", false},
		{"the effective window is less", func(p *TriggerPolicy) { p.Effective = 50_000 }, Situation{Window: 1_000_000, View: 50_001}, "threshold", false},
		{"turns", nil, Situation{Window: 200_000, Turns: 50}, "window_size", false},
		{"one turn fewer", nil, Situation{Window: 200_000, Turns: 49}, "", false},
		{"grace spares the threshold", nil, Situation{Window: 200_000, View: 180_000, Turns: 50, Grace: true}, "", false},
		{"grace does not spare an overflow", nil, Situation{Window: 200_000, Overflow: true, Grace: true}, "context_exceeded", false},
		{"a trimmed request", nil, Situation{Window: 200_000, Trimmed: true}, "context_exceeded", false},
		{"the agent asks", nil, Situation{Window: 200_000, View: 85_000, Asked: true}, "agent_requested", false},
		{"the agent asks too early", nil, Situation{Window: 200_000, View: 84_999, Asked: true}, "", false},
		{"the agent insists", nil, Situation{Window: 200_000, Asked: true, Insist: true, Grace: true}, "agent_requested", false},
		{"the agent asks in the grace turn", nil, Situation{Window: 200_000, View: 100_000, Asked: true, Grace: true}, "", false},
		{"a person asks", nil, Situation{Window: 200_000, Manual: true}, "manual", false},
		{"the turn's input", func(p *TriggerPolicy) { p.SingleTurn = 10 }, Situation{TurnInput: 11, Grace: true}, "single_turn_limit", false},
		{"the view before a turn", func(p *TriggerPolicy) { p.SingleTurn = 10 }, Situation{View: 11}, "single_turn_limit", false},
		{"the view before the grace turn", func(p *TriggerPolicy) { p.SingleTurn = 10 }, Situation{View: 11, Grace: true}, "", false},
		{"cutover", func(p *TriggerPolicy) { p.CutoverAt = 10 }, Situation{Input: 10}, "cumulative_budget", false},
		{"cutover in the grace turn", func(p *TriggerPolicy) { p.CutoverAt = 10 }, Situation{Input: 10, Grace: true}, "", false},
		{"overflow comes before the threshold", nil, Situation{Window: 10, View: 100, Overflow: true}, "context_exceeded", false},

		{"three that saved nothing suppress", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few}, "", true},
		{"two do not", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few[1:]}, "threshold", false},
		{"growth of a tenth arms again", nil, Situation{Window: 200_000, Model: "m", View: 195_000, Attempts: few}, "threshold", false},
		{"another window arms again", nil, Situation{Window: 190_000, Model: "m", View: 180_000, Attempts: few}, "threshold", false},
		{"another model arms again", nil, Situation{Window: 200_000, Model: "n", View: 180_000, Attempts: few}, "threshold", false},
		{"overflow passes the guard", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few, Overflow: true}, "context_exceeded", false},
		{"a request passes the guard", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few, Asked: true}, "agent_requested", false},
		{"a good one in between releases", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: []Attempt{few[0], tried(100_000, 50_000), few[2]}}, "threshold", false},
		{"one by hand in between releases", nil, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: []Attempt{few[0], byHand, few[2]}}, "threshold", false},
		{"refused ones saved nothing", nil, Situation{Window: 200_000, Model: "m", View: 180_000,
			Attempts: []Attempt{tried(180_000, 180_000), tried(180_000, 180_000), tried(180_000, 180_000)}}, "", true},
		{"the guard is off", func(p *TriggerPolicy) { p.ThrashWindow = 0 }, Situation{Window: 200_000, Model: "m", View: 180_000, Attempts: few}, "threshold", false},
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
