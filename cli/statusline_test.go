package cli

import (
	"testing"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TestTheStatusLineSaysWhatIsKnown: figures that are not known are left out, and what is urgent is coloured.
func TestTheStatusLineSaysWhatIsKnown(t *testing.T) {
	const yellow, red, plain = "\x1b[33m", "\x1b[31m", "\x1b[0m"
	of := func(n float64) *float64 { return &n }
	limit := func(key string, used float64) ledger.Spent {
		return ledger.Spent{LimitSet: config.LimitSet{Key: key, Most: 100}, Used: used}
	}
	stubs := []ledger.Saving{{Cause: "large", Results: 1}}
	for name, c := range map[string]struct {
		host statusLineAnswer
		line *ledger.StatusLine
		want string
	}{
		"nothing":                {},
		"the host alone":         {statusLineAnswer{Percent: of(12.6), Window: 200_000, Dollars: of(0)}, nil, "13% of 200k · $0.00 this session"},
		"below":                  {statusLineAnswer{Percent: of(69.9)}, nil, "70%"},
		"from 70%":               {statusLineAnswer{Percent: of(70)}, nil, yellow + "70%" + plain},
		"from 90%":               {statusLineAnswer{Percent: of(90)}, nil, red + "90%" + plain},
		"of the ledger":          {statusLineAnswer{Window: 1000}, &ledger.StatusLine{Held: tokens.Count{N: 500}}, "50% of 1.0k"},
		"its window":             {statusLineAnswer{}, &ledger.StatusLine{Window: 1000, Held: tokens.Count{N: 950}}, red + "95% of 1.0k" + plain},
		"no window":              {statusLineAnswer{}, &ledger.StatusLine{Held: tokens.Count{N: 950}}, "≈950 tokens"},
		"the ledger's cost":      {statusLineAnswer{Dollars: of(9)}, &ledger.StatusLine{Today: sessions.Cost{Dollars: of(1.5)}}, "$1.50 today"},
		"no price":               {line: &ledger.StatusLine{Today: sessions.Cost{Unpriced: &sessions.Unpriced{Tokens: 1200}}}, want: "1,200 tokens today"},
		"saved":                  {line: &ledger.StatusLine{Savings: ledger.Savings{Causes: stubs, Net: 1200}}, want: "≈1,200 tokens saved"},
		"more sent":              {line: &ledger.StatusLine{Savings: ledger.Savings{Causes: stubs, Net: -12}}, want: "≈12 tokens more sent"},
		"nothing replaced":       {line: &ledger.StatusLine{Savings: ledger.Savings{Net: -12}}},
		"reduced":                {line: &ledger.StatusLine{Reduced: &ledger.ReducedUse{Net: of(0.5)}}, want: "≈$0.50 saved"},
		"reduced in vain":        {line: &ledger.StatusLine{Reduced: &ledger.ReducedUse{Net: of(-0.5)}}, want: "≈$0.50 lost"},
		"warn_at":                {statusLineAnswer{Percent: of(5)}, &ledger.StatusLine{Warned: []ledger.BudgetWarning{{WarnAt: 9}}}, yellow + "5%" + plain},
		"far from a limit":       {statusLineAnswer{Percent: of(5)}, &ledger.StatusLine{Limits: []ledger.Spent{limit("limits.day.usd", 79)}}, "5%"},
		"near a limit":           {statusLineAnswer{Percent: of(5)}, &ledger.StatusLine{Limits: []ledger.Spent{limit("limits.day.usd", 80)}}, yellow + "5%" + plain + " · limits.day.usd 80%"},
		"a limit reached":        {statusLineAnswer{Percent: of(75)}, &ledger.StatusLine{Limits: []ledger.Spent{limit("limits.day.usd", 100)}}, red + "75%" + plain + " · limits.day.usd 100%"},
		"a limit without window": {statusLineAnswer{}, &ledger.StatusLine{Limits: []ledger.Spent{{LimitSet: config.LimitSet{Key: "limits.agent.tokens", Most: 10}, Used: 9, Since: time.Time{}}}}, yellow + "limits.agent.tokens 90%" + plain},
	} {
		if c.line != nil {
			c.host.take(*c.line)
		}
		c.host.rate()
		if got := c.host.words(true); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
