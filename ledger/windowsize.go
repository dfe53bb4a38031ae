package ledger

import "ctxledger.dev/overflow"

// Window is the window of a model with where the figure comes from. It is the one figure for thresholds,
// budgets and the status.
type Window struct {
	Model  string `json:"model,omitempty"`
	Tokens int    `json:"tokens"` // 0: unknown
	// Profile is what the configuration or the program says; 0: nothing.
	Profile int `json:"profile,omitempty"`
	// Learned is what an error taught about this model where the session calls it; nil: nothing.
	Learned *overflow.Learned `json:"learned,omitempty"`
	// OutputCap is what the session asks for at most, since an error said so; 0: nothing did.
	OutputCap int `json:"output_cap,omitempty"`
}
