package replay

import (
	"context"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/tokens"
)

// Savings is what the product's default would have saved in one session.
type Savings struct {
	Model string  `json:"model"`
	None  Outcome `json:"none"` // the recorded session
	Ours  Outcome `json:"ours"`
	// Share is the part of the cost that is saved; less than 0 when the session would have become dearer.
	Share float64 `json:"share"`
	// Unlike: what is recorded is far more than what the agent sent, so that the rest says nothing of it.
	Unlike bool `json:"unlike"`
}

// unlike is how many times the input that providers measured the requests of a replay have at most to be those of the session.
const unlike = 2

// SavingsOf replays a session under the default alone, for reports over many sessions. A session without a
// request saves nothing. Errors: those of the ledger.
func SavingsOf(ctx context.Context, e env.Env, s *Session, models *tokens.Registry) (Savings, error) {
	all := Policies()
	r, err := Run(ctx, e, s, models, []Policy{all[0], all[Ours]})
	if err != nil || len(r.Outcomes) == 0 {
		return Savings{}, err
	}
	return Savings{Model: r.Model, None: r.Outcomes[0], Ours: r.Outcomes[1], Share: 1 - r.Ratio(1),
		Unlike: r.Recorded > 0 && r.Outcomes[0].Input > unlike*r.Recorded}, nil
}
