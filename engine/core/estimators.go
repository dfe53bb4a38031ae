package core

import (
	"cmp"
	"context"
	"encoding/binary"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// The user ledger learns the tokenizers of models. The ledger of a workspace has a copy, so that it can count alone.
// Keys are digests: these buckets contain no text of a host.
const (
	BucketEstimators kv.Bucket = "estimators" // digest of the model's name → tokens.Estimator
	BucketMeasured   kv.Bucket = "measured"   // digest of host and host id → number of the last learned request
)

// keyMeasured is the record of BucketEngine with the last event whose session was measured.
var keyMeasured = []byte("measured")

// maxMeasurements bounds the measurements and the models of one request. The states of so many models fit into the
// stored response of the request.
const maxMeasurements = 64

// Learn implements ledger.Calibration.
func (l *Ledger) Learn(ctx context.Context, r ledger.LearnRequest) (ledger.Estimators, error) {
	const op = "engine.learn"
	if n := max(len(r.Measurements), len(r.Models)); n > maxMeasurements {
		return ledger.Estimators{}, fault.New(fault.TooLarge, op,
			"%d measurements or models in one request, more than %d", n, maxMeasurements)
	}
	m := l.NewMutation("learn", r.Key, r).Check(CheckTexts(op, Label("host", r.Host), Label("host id", r.HostID)))
	for _, measured := range r.Measurements {
		m = m.Check(CheckTexts(op, Label("model", measured.Model)))
	}
	return Mutate(ctx, l, m, func(tx kv.Tx) (ledger.Estimators, []ledger.Event, error) {
		known, err := learnedOf(tx, r.Models)
		if err != nil {
			return ledger.Estimators{}, nil, err
		}
		if err := learn(tx, known, r); err != nil {
			return ledger.Estimators{}, nil, err
		}
		states, err := known.states()
		return ledger.Estimators{States: states}, nil, err
	})
}

// learn adds the new measurements to the estimators and stores them.
func learn(tx kv.Tx, known learned, r ledger.LearnRequest) error {
	source := []byte(sessions.Digest([]byte(r.Host + "\x00" + r.HostID)))
	last, err := ReadNumber(tx, BucketMeasured, source)
	if err != nil {
		return err
	}
	before := last
	for _, m := range r.Measurements {
		e, err := known.of(tx, m.Model) // also for known measurements: the response may have been lost
		if err != nil {
			return err
		}
		if m.Request > last {
			last = m.Request
			if f, err := tokens.ParseFamily(m.Family); err == nil { // not for "", nor for one of a newer program
				e.Suppose(f)
			}
			e.Learn(m.Features, m.Growth())
		}
	}
	if last == before {
		return nil
	}
	states, err := known.states()
	return cmp.Or(err, putStates(tx, states), putNumber(tx, BucketMeasured, source, last))
}

// putStates stores the encoded estimators of models.
func putStates(tx kv.Tx, states map[string][]byte) (err error) {
	for model, state := range states {
		err = cmp.Or(err, tx.Put(BucketEstimators, estimatorKey(model), state))
	}
	return err
}

// Estimators implements ledger.Calibration.
func (l *Ledger) Estimators(ctx context.Context, r ledger.EstimatorsRequest) (ledger.Estimators, error) {
	if len(r.Models) > maxMeasurements {
		return ledger.Estimators{}, fault.New(fault.TooLarge, "engine.estimators",
			"%d models in one request, more than %d", len(r.Models), maxMeasurements)
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.Estimators, error) {
		known, err := learnedOf(tx, r.Models)
		if err != nil {
			return ledger.Estimators{}, err
		}
		states, err := known.states()
		if err != nil {
			return ledger.Estimators{}, err
		}
		event, err := ReadNumber(tx, BucketEngine, keyMeasured)
		return ledger.Estimators{States: states, Event: event}, err
	})
}

// KeepEstimators implements ledger.Calibration.
func (l *Ledger) KeepEstimators(ctx context.Context, r ledger.KeepEstimatorsRequest) (ledger.Estimators, error) {
	const op = "engine.estimators"
	if len(r.States) > maxMeasurements {
		return ledger.Estimators{}, fault.New(fault.TooLarge, op,
			"the estimators of %d models in one request, more than %d", len(r.States), maxMeasurements)
	}
	for model, state := range r.States {
		if _, err := tokens.ParseEstimator(model, state); err != nil {
			return ledger.Estimators{}, fault.New(fault.Invalid, op, "%s", err)
		}
	}
	m := l.NewMutation("keep estimators", r.Key, r)
	return Mutate(ctx, l, m, func(tx kv.Tx) (ledger.Estimators, []ledger.Event, error) {
		var events []ledger.Event
		if len(r.States) > 0 {
			events = append(events, ledger.Event{Kind: ledger.EventLearnt, Count: len(r.States)})
		}
		return ledger.Estimators{Event: r.Event}, events,
			cmp.Or(putStates(tx, r.States), putNumber(tx, BucketEngine, keyMeasured, r.Event))
	})
}

// estimator returns the estimator of a model. Errors: corrupt for a damaged record, unavailable for the state of a
// newer program, which must not be overwritten.
func estimator(tx kv.Tx, model string) (*tokens.Estimator, error) {
	raw, err := tx.Get(BucketEstimators, estimatorKey(model))
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return tokens.NewEstimator(model), nil
	}
	return tokens.ParseEstimator(model, raw)
}

// estimatorKey is the same for all spellings of a model's name.
func estimatorKey(model string) []byte {
	return []byte(sessions.Digest([]byte(tokens.NewEstimator(model).Model())))
}

// learned maps models' names to their estimators.
type learned map[string]*tokens.Estimator

// learnedOf reads the estimators of models.
func learnedOf(tx kv.Tx, models []string) (learned, error) {
	known := learned{}
	for _, model := range models {
		if _, err := known.of(tx, model); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// of returns the estimator of a model, read once.
func (k learned) of(tx kv.Tx, model string) (*tokens.Estimator, error) {
	name := tokens.NewEstimator(model).Model()
	if e := k[name]; e != nil {
		return e, nil
	}
	e, err := estimator(tx, model)
	if err == nil {
		k[name] = e
	}
	return e, err
}

// states encodes the estimators that have learned something.
func (k learned) states() (map[string][]byte, error) {
	states := map[string][]byte{}
	for model, e := range k {
		if e.Learned() == 0 {
			continue
		}
		raw, err := e.AppendBinary(nil)
		if err != nil {
			return nil, fault.Wrap(fault.Internal, "engine.estimators", err)
		}
		states[model] = raw
	}
	return states, nil
}

// ReadNumber reads a number; one that was never written is 0.
func ReadNumber(tx kv.Tx, b kv.Bucket, key []byte) (int64, error) {
	raw, err := tx.Get(b, key)
	if err != nil || raw == nil {
		return 0, err
	}
	if len(raw) != 8 {
		return 0, fault.New(fault.Corrupt, "engine.estimators", "a number of %s has %d bytes", b, len(raw))
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

func putNumber(tx kv.Tx, b kv.Bucket, key []byte, n int64) error {
	return tx.Put(b, key, binary.BigEndian.AppendUint64(nil, uint64(n)))
}
