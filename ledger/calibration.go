package ledger

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// Calibration learns how models count tokens.
type Calibration interface {
	// Learn adds measurements of models' tokenizers to the estimators of the user ledger.
	Learn(ctx context.Context, r LearnRequest) (Estimators, error)
	// Estimators returns this ledger's estimators of models' tokenizers.
	Estimators(ctx context.Context, r EstimatorsRequest) (Estimators, error)
	// KeepEstimators stores estimators of another ledger for the counts of this one. invalid: not a state.
	KeepEstimators(ctx context.Context, r KeepEstimatorsRequest) (Estimators, error)
}

// CounterOf returns how texts are counted for a model, with what a ledger has learnt of it: see tokens.Registry.Counter.
// Errors: those of Learnt and of that; the counter then does without.
func CounterOf(
	ctx context.Context, api Calibration, models *tokens.Registry, model string,
) (tokens.Counter, error) {
	learnt, err := Learnt(ctx, api, model)
	c, wrong := models.Counter(model, learnt)
	return c, cmp.Or(err, wrong)
}

// CountersOf returns how each of these sessions is counted: for its model, else for none. The session "" is the newest
// one: for what belongs to none. Errors: those of Session, but not_found.
func CountersOf(ctx context.Context, api interface {
	SessionReader
	Calibration
}, models *tokens.Registry, ids []string) (map[string]tokens.Counter, error) {
	out, known := map[string]tokens.Counter{}, map[string]tokens.Counter{"": {}}
	for _, id := range ids {
		if _, twice := out[id]; twice {
			continue
		}
		s, err := api.Session(ctx, SessionRequest{Name: id, Latest: id == ""})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		if _, twice := known[s.Model]; !twice {
			known[s.Model], _ = CounterOf(ctx, api, models, s.Model) // else without what is not known
		}
		out[id] = known[s.Model]
	}
	return out, nil
}

// HostModel is the model of an agent's newest session: what the agent loads is counted for it.
type HostModel struct {
	Model  string
	Learnt string // of its tokenizer: see Learnt
	Window int    // in tokens; 0: unknown
}

// Meter returns how texts are counted for the model, without what cannot be read of Learnt.
func (h HostModel) Meter(models *tokens.Registry) Meter {
	counter, _ := models.Counter(h.Model, []byte(h.Learnt))
	return Meter{Counter: counter, Window: h.Window}
}

// Meter says what texts cost a model.
type Meter struct {
	Counter tokens.Counter
	Window  int // of the model, in tokens; 0: unknown
	// Reading says, where no model is known, that one may be soon: session files are still being read.
	Reading bool
}

// NewestOf returns the newest session with a model of each agent, of sessions in order, the newest first.
func NewestOf(all []sessions.Session) (out []sessions.Session) {
	for _, s := range all {
		newer := func(o sessions.Session) bool { return o.Host == s.Host }
		if s.Model != "" && s.Main() && !slices.ContainsFunc(out, newer) {
			out = append(out, s)
		}
	}
	return out
}

// HostModels returns the models of the agents of these sessions, one of each, by the names of the agents. Errors: those of
// Status, but not_found, and of Learnt.
func HostModels(ctx context.Context, api interface {
	Views
	Calibration
}, newest []sessions.Session) (map[string]HostModel, error) {
	out := map[string]HostModel{}
	for _, s := range newest {
		st, err := api.Status(ctx, StatusRequest{Session: s.ID, Brief: true})
		if fault.Is(err, fault.NotFound) { // forgotten just now
			continue
		}
		learnt, wrong := Learnt(ctx, api, s.Model)
		if err := cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		out[s.Host] = HostModel{s.Model, string(learnt), st.Window}
	}
	return out, nil
}

// ScalesOf returns how the windows of these sessions' agents are counted: see Use.Scale. Errors: those of Status.
func ScalesOf(ctx context.Context, api Views, ids []string) (map[string]tokens.Scale, error) {
	out := map[string]tokens.Scale{}
	for _, id := range ids {
		if _, twice := out[id]; twice {
			continue
		}
		st, err := api.Status(ctx, StatusRequest{Session: id, Brief: true})
		if err != nil {
			return nil, err
		}
		out[id] = st.Scale
	}
	return out, nil
}

// Learnt returns what a ledger has learnt of a model, the state of a tokens.Estimator; nil: nothing. Errors: those of
// Estimators.
func Learnt(ctx context.Context, api Calibration, model string) ([]byte, error) {
	if model == "" {
		return nil, nil
	}
	known, err := api.Estimators(ctx, EstimatorsRequest{Models: []string{model}})
	for _, state := range known.States {
		return state, nil // there is at most one
	}
	return nil, err
}

// Measurement is what one request of a session reveals about its model's tokenizer: the growth of the input, and the
// text that caused it.
type Measurement struct {
	Request int64  `json:"request"` // which one of the session's main conversation, from 1
	Model   string `json:"model"`
	// Family is that of the model, where the user configured one: see tokens.ParseFamily.
	Family   string          `json:"family,omitempty"`
	Features tokens.Features `json:"features"` // of what was added to the conversation before it
	Before   int64           `json:"before"`   // tokens of the request before and its answer, as measured
	After    int64           `json:"after"`    // tokens of the request, as measured
}

// Growth is the size of the added texts in tokens.
func (m Measurement) Growth() int64 { return m.After - m.Before }

// LearnRequest sends measurements of one session, in order: at most 64, and at most 64 models. Requests that were
// learned already are skipped, so a repetition has no effect.
type LearnRequest struct {
	Mutation
	Host         string        `json:"host"`    // of the session
	HostID       string        `json:"host_id"` // the host's id of it, which is the same in all ledgers
	Measurements []Measurement `json:"measurements"`
	Models       []string      `json:"models,omitempty"` // whose states are wanted besides those of the measurements
}

// EstimatorsRequest asks for the estimators of models.
type EstimatorsRequest struct {
	Models []string `json:"models"` // at most 64
}

// Estimators holds the estimators of models. Models without one are omitted.
type Estimators struct {
	States map[string][]byte `json:"states"` // by the name of the model: see tokens.ParseEstimator
	// Event is the last event of this ledger whose session was measured.
	Event int64 `json:"event"`
}

// KeepEstimatorsRequest stores estimators of the user ledger in the ledger of a workspace, whose counts use them from
// then on.
type KeepEstimatorsRequest struct {
	Mutation
	Estimators
}
