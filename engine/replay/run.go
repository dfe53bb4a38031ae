package replay

import (
	"context"
	"errors"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

const (
	// fullAt is the share of the window that the sliding window fills.
	fullAt = 0.85
	// cacheLife is how long providers keep a prompt in their cache, at the price of Price.CachedWrite, and
	// cacheLifeLong for tokens.LongWrite times that of input, where the session's host asked for it.
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
	// ReadCall is what it takes to ask for something with read_artifact, in tokens.
	ReadCall = 80
	// ReadMost is the most that one answer of it brings, in tokens.
	ReadMost = 2_000
)

// Outcome is what one policy would have made of a session. Tokens are estimates of the session's model.
type Outcome struct {
	Policy      string  `json:"policy"`
	Requests    int     `json:"requests"`    // with those that read something back
	ReadBack    int     `json:"read_back"`   // calls of read_artifact that are charged
	Compactions int     `json:"compactions"` // the host's or ours
	Input       int64   `json:"input"`       // tokens of all requests
	CacheRead   int64   `json:"cache_read"`  // of them, found in the provider's cache
	Cold        int64   `json:"cold"`        // of them, sent before and no longer in it
	Output      int64   `json:"output"`      // tokens of all answers
	Dollars     float64 `json:"dollars"`     // 0 when the model's price is not known
	Priced      bool    `json:"priced"`
	// Units is the cost in the price of one uncached input token: it compares where no price is known.
	Units  float64 `json:"units"`
	Steps  int     `json:"steps"`  // requests before which the view was made smaller, by edits or a compaction
	Broken int     `json:"broken"` // others that do not begin with all of the request before
	// Stable is the share of requests between steps that begin with all of the request before.
	Stable float64 `json:"stable"`
	// Kept is the share of identifiers used in calls, and said before, that the view had.
	Kept float64 `json:"kept"`
	Peak int64   `json:"peak"` // tokens of the largest request
}

// StableOf returns what Stable is by the counts.
func (o Outcome) StableOf() float64 {
	between := o.Requests - o.Steps
	return shareOf(between-o.Broken, between)
}

// Report is what policies would have made of one session.
type Report struct {
	Session  string    `json:"session"`
	Model    string    `json:"model"`
	Window   int       `json:"window"`
	Recorded int64     `json:"recorded_input"` // tokens of input as the provider reported them
	Outcomes []Outcome `json:"outcomes"`       // in the order of the policies
}

// Ratio returns the cost under a policy as a part of that of the first one, 1 where there is none.
func (r Report) Ratio(policy int) float64 {
	if policy >= len(r.Outcomes) || r.Outcomes[0].Units == 0 {
		return 1
	}
	return r.Outcomes[policy].Units / r.Outcomes[0].Units
}

// Run replays a session under each policy. A session without a request gives no outcomes. Errors: those
// of the ledger.
func Run(ctx context.Context, e env.Env, s *Session, models *tokens.Registry, policies []Policy) (Report, error) {
	t := newTrack(s, blockOf)
	r := Report{Session: s.Name, Outcomes: []Outcome{}}
	if len(t.steps) == 0 {
		return r, nil
	}
	sc := t.scale(models)
	r.Model, r.Window, r.Recorded = sc.name, sc.window, sc.recorded
	outcomes, errs := make([]Outcome, len(policies)), make([]error, len(policies))
	var wait sync.WaitGroup
	for i, p := range policies { // side by side: each waits for its own ledger's disk most of the time
		wait.Go(func() { outcomes[i], errs[i] = t.play(ctx, e, p, sc) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return r, err
	}
	r.Outcomes = outcomes
	return r, nil
}
