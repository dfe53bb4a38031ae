package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// nearLimit is the share of a limit from which on people are warned.
const nearLimit = 0.8

// LimitsRequest asks what was used of the limits that hold for a session.
type LimitsRequest struct {
	// LiveSession is the session as its host names it; Session is our id where the host has no name for it. If it is not
	// known yet, it has used nothing. Dir says whose configuration holds.
	LiveSession
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"` // the host's id of a subagent; "": the main agent
}

// LimitsResponse says what was used of each limit, in the order of the configuration.
type LimitsResponse struct {
	Spent []Spent `json:"spent"`
}

// Spent is what was used of a limit.
type Spent struct {
	config.LimitSet
	Agent string    `json:"agent,omitempty"` // of a limit of agents: the host's id of the subagent; "": the main agent
	Since time.Time `json:"since,omitzero"`  // of a limit of a day: when that began
	Used  float64   `json:"used"`            // tokens or dollars
	// Estimate says that no provider measured Used.
	Estimate bool `json:"estimate,omitempty"`
	// Unpriced is how many tokens have no price and are not in Used, of a limit in dollars.
	Unpriced int64 `json:"unpriced_tokens,omitempty"`
}

// Reached reports whether nothing is left.
func (s Spent) Reached() bool { return s.Used >= s.Most }

// Near reports whether little is left, or nothing.
func (s Spent) Near() bool { return s.Used >= nearLimit*s.Most }

// Same reports whether two are of one limit, for the same agent and day.
func (s Spent) Same(o Spent) bool {
	return s.LimitSet == o.LimitSet && s.Agent == o.Agent && s.Since.Equal(o.Since)
}

// String says it: "this session has used $1.20 of the $5.00 that limits.session.usd in ctxledger.yaml:3 allows (24%)".
func (s Spent) String() string {
	about := ""
	if s.Estimate {
		about = "≈"
	}
	text := s.who() + " used " + about + s.amount(s.Used) + " of the " + s.amount(s.Most) + " that " + s.Written() +
		" in " + chars.Line(s.From) + fmt.Sprintf(" allows (%.0f%%)", 100*s.Used/s.Most)
	if s.Unpriced > 0 {
		text += ", without " + chars.Plural(s.Unpriced, "token") + " that have no known price"
	}
	return text
}

// who says who has used it.
func (s Spent) who() string {
	switch {
	case strings.HasPrefix(s.Key, "limits.day."):
		return "this workspace's sessions have today"
	case strings.HasPrefix(s.Key, "limits.session."):
		return "this session has"
	case s.Agent == "":
		return "the main agent of this session has"
	}
	return "subagent " + chars.Line(s.Agent) + " has"
}

// amount writes tokens or dollars.
func (s Spent) amount(n float64) string {
	if strings.HasSuffix(s.Key, ".usd") {
		return chars.Money(n, true)
	}
	return chars.Plural(int64(n), "token")
}

// raise is the way out that every face offers.
func (s Spent) raise() string { return "raise " + s.Written() + " there: it takes effect immediately" }

// Stopped is what an agent is told whose request is not sent because a limit is reached, with the way out.
func (s Spent) Stopped() string {
	return "ctxledger did not send this request: " + s.String() + ". To continue, " + s.raise() +
		". Or quit the agent and continue once without limits: ctxledger with --beyond-limits -- AGENT"
}

// Limited says what was used of the limits of a session.
type Limited interface {
	Limits(ctx context.Context, r LimitsRequest) (LimitsResponse, error)
}

// WithinLimits returns the limits of a session that are near. A caller that hands out what is sent next asks it first.
// Errors: limited if one is reached, with the way out; those of the ledger.
func WithinLimits(ctx context.Context, api Limited, session string, of Reader) (near []Spent, err error) {
	got, err := api.Limits(ctx, LimitsRequest{Session: session, Agent: of.Agent})
	for _, s := range got.Spent {
		if s.Reached() {
			return nil, fault.New(fault.Limited, "ledger.limits", "there is no next request: %s", s).
				WithHint("%s", s.raise())
		}
		if s.Near() {
			near = append(near, s)
		}
	}
	return near, err
}
