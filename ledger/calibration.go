package ledger

import (
	"context"

	"ctxledger.dev/tokens"
)

// Calibration learns how models count tokens.
type Calibration interface {
	// Learn takes measurements of models' tokenizers into what the user ledger knows of them.
	Learn(ctx context.Context, r LearnRequest) (Estimators, error)
	// Estimators returns what this ledger knows of models' tokenizers.
	Estimators(ctx context.Context, r EstimatorsRequest) (Estimators, error)
	// KeepEstimators stores what was learnt elsewhere, for the counts of this ledger. invalid: not a state.
	KeepEstimators(ctx context.Context, r KeepEstimatorsRequest) (Estimators, error)
}

// Measurement is what one request of a session shows of its model's tokenizer: by how much the input
// grew, and with what.
type Measurement struct {
	Request int64  `json:"request"` // which one of the session's main conversation, from 1
	Model   string `json:"model"`
	// Family is that of the model, where the user configured one: see tokens.ParseFamily.
	Family   string          `json:"family,omitempty"`
	Features tokens.Features `json:"features"` // of what was added to the conversation before it
	Before   int64           `json:"before"`   // tokens of the request before and its answer, as measured
	After    int64           `json:"after"`    // tokens of the request, as measured
}

// Growth is what the added texts took, in tokens.
func (m Measurement) Growth() int64 { return m.After - m.Before }

// LearnRequest hands in measurements of one session, in order. Those of requests up to the last one that
// was learnt from are passed over, so that handing in twice is once. At most 64 measurements, and models.
type LearnRequest struct {
	Mutation
	Host         string        `json:"host"`    // of the session
	HostID       string        `json:"host_id"` // the host's id of it, which is the same in all ledgers
	Measurements []Measurement `json:"measurements"`
	Models       []string      `json:"models,omitempty"` // whose states are wanted besides those of the measurements
}

// EstimatorsRequest asks for what was learnt of models.
type EstimatorsRequest struct {
	Models []string `json:"models"` // at most 64
}

// Estimators holds what was learnt of models, those without any left out.
type Estimators struct {
	States map[string][]byte `json:"states"` // by the name of the model: see tokens.ParseEstimator
	// Event is up to which event of this ledger its sessions were measured.
	Event int64 `json:"event"`
}

// KeepEstimatorsRequest stores what the user ledger has learnt of models in the ledger of a workspace,
// whose counts use it from then on.
type KeepEstimatorsRequest struct {
	Mutation
	Estimators
}
