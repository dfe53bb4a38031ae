package core

import (
	"context"
	"encoding/binary"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// What is learnt of the tokenizers of models lies in the user ledger. The ledger of a workspace has a
// copy, so that its counts need nobody else. Keys are digests: no words of a host lie in these buckets.
const (
	BucketEstimators kv.Bucket = "estimators" // digest of the model's name → tokens.Estimator
	BucketMeasured   kv.Bucket = "measured"   // digest of host and host id → number of the last request learnt from
)

// keyMeasured is where in bucketEngine the event stands up to which this ledger's sessions were measured.
var keyMeasured = []byte("measured")

// maxMeasurements is how many measurements, or models, one request speaks of: the states of so many
// models fit into a record, as what is kept under the key of the request has to.
const maxMeasurements = 64

// Learn implements ledger.Calibration.
func (l *Ledger) Learn(ctx context.Context, r ledger.LearnRequest) (ledger.Estimators, error) {
	const op = "engine.learn"
	if n := max(len(r.Measurements), len(r.Models)); n > maxMeasurements {
		return ledger.Estimators{}, fault.New(fault.TooLarge, op,
			"%d measurements or models in one request, more than %d", n, maxMeasurements)
	}
	if err := CheckTexts(op, Label("host", r.Host), Label("host id", r.HostID)); err != nil {
		return ledger.Estimators{}, err
	}
	for _, m := range r.Measurements {
		if err := CheckTexts(op, Label("model", m.Model)); err != nil {
			return ledger.Estimators{}, err
		}
	}
	m, err := l.NewMutation("learn", r.Key, r)
	if err != nil {
		return ledger.Estimators{}, err
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

// learn takes in the measurements that are new, and stores what follows.
func learn(tx kv.Tx, known learned, r ledger.LearnRequest) error {
	source := []byte(sessions.Digest([]byte(r.Host + "\x00" + r.HostID)))
	last, err := ReadNumber(tx, BucketMeasured, source)
	if err != nil {
		return err
	}
	before := last
	for _, m := range r.Measurements {
		e, err := known.of(tx, m.Model) // also of what was learnt before: the answer may not have arrived
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
	if err != nil {
		return err
	}
	for model, state := range states {
		if err := tx.Put(BucketEstimators, estimatorKey(model), state); err != nil {
			return err
		}
	}
	return putNumber(tx, BucketMeasured, source, last)
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
	m, err := l.NewMutation("keep estimators", r.Key, r)
	if err != nil {
		return ledger.Estimators{}, err
	}
	return Mutate(ctx, l, m, func(tx kv.Tx) (ledger.Estimators, []ledger.Event, error) {
		for model, state := range r.States {
			if err := tx.Put(BucketEstimators, estimatorKey(model), state); err != nil {
				return ledger.Estimators{}, nil, err
			}
		}
		return ledger.Estimators{Event: r.Event}, nil, putNumber(tx, BucketEngine, keyMeasured, r.Event)
	})
}

// estimator returns the estimator of a model. Errors: corrupt for a record that was damaged or holds no
// state, unavailable for the state of a newer program, which nobody else may overwrite.
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

// learned holds estimators by the names of their models.
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

// states encodes the estimators that have learnt.
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
