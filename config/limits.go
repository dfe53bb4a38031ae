package config

import "cmp"

// Limits are what requests may use before they are stopped: the keys of limits. 0: no limit.
type Limits struct{ Session, Day, Agent Limit }

// Limit is how much may be used of one thing.
type Limit struct {
	Tokens int     // of input, cached or not, and output
	USD    float64 // at list prices
}

// LimitSet is one limit that is set.
type LimitSet struct {
	Key  string  `json:"limit"` // "limits.session.usd"
	Most float64 `json:"most"`  // tokens or dollars
	From string  `json:"from"`  // where it is set: "ctxledger.yaml:3"
	// As is the key of another program that sets it there; "": Key is written there.
	As string `json:"as,omitempty"`
}

// Written returns the key that is written where the limit is set.
func (l LimitSet) Written() string { return cmp.Or(l.As, l.Key) }

// LimitsSet returns the limits that are set, in the order of Rules.
func (c Config) LimitsSet() (out []LimitSet) {
	t := &target{config: &c}
	for _, scope := range limitRules() {
		for _, r := range scope.Rules {
			most := 0.0
			switch at := r.into(t).(type) {
			case *int:
				most = float64(*at)
			case *float64:
				most = *at
			}
			if key := join(join("limits", scope.Key), r.Key); most > 0 {
				from := c.shown.origins[key]
				out = append(out, LimitSet{key, most, from.String(), from.as})
			}
		}
	}
	return out
}

func limitRules() []Rule {
	return []Rule{
		limitRule("session", "what a session may use, with its subagents",
			func(l *Limits) *Limit { return &l.Session }),
		limitRule("day", "what all sessions of this workspace may use in a day, counted from midnight",
			func(l *Limits) *Limit { return &l.Day }),
		limitRule("agent", "what one agent of a session may use: the main one, or a subagent",
			func(l *Limits) *Limit { return &l.Agent }),
	}
}

// limitRule returns the rule of one thing that is limited.
func limitRule(key, doc string, at func(*Limits) *Limit) Rule {
	return Rule{Key: key, Kind: Mapping, Doc: doc, Rules: []Rule{
		{Key: "tokens", Kind: Count, Unit: "tokens", Default: "0", Zero: "none",
			Doc:  "of input, cached or not, and output; 0: no limit",
			into: func(t *target) any { return &at(&t.config.Limits).Tokens }},
		{Key: "usd", Kind: Number, Unit: "US dollars", Default: "0", Zero: "none",
			Doc: "at list prices, with cache reads at their own price; requests without a known price are not included. 0: no " +
				"limit",
			into: func(t *target) any { return &at(&t.config.Limits).USD }},
	}}
}
