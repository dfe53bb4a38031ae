package crashtest

import (
	"context"
	"math/rand/v2"
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// operation is one change of the ledger. It can be sent again: everything that identifies it is
// fixed when it is made.
type operation struct {
	name  string
	keyed bool // whether a repetition is answered from the key, whatever happened since
	// send performs it and returns the answer, and what the answer does to the actor's model.
	send func(ctx context.Context, api ledger.API) (answer string, apply func(), err error)
}

// mutation makes an operation of a call with an answer of type R.
func mutation[R any](name string, call func(context.Context, ledger.API) (R, error), apply func(R)) *operation {
	return &operation{name: name, keyed: true, send: func(ctx context.Context, api ledger.API) (string, func(), error) {
		r, err := call(ctx, api)
		if err != nil {
			return "", nil, err
		}
		return text(r), func() { apply(r) }, nil
	}}
}

// actor makes changes of one kind, one after the other, and knows what the ledger then holds of them.
type actor interface {
	// next returns what the actor does now; nil: nothing more in this ledger.
	next(r *rand.Rand) *operation
	// expect returns what the ledger holds of the actor.
	expect() facts
	// observe reads the same from the ledger.
	observe(ctx context.Context, api ledger.API, all *inventory) (facts, error)
}

// performer makes an actor act, and answer for it after a kill.
type performer struct {
	name    string
	actor   actor
	random  *rand.Rand
	late    bool           // it waits until the owner has acknowledged enough from others
	pending *operation     // sent, and not acknowledged
	recent  []acknowledged // the newest ones with a key
}

// acknowledged is an operation with its answer.
type acknowledged struct {
	op     *operation
	answer string
}

// repetitions is how many acknowledged operations of an actor are repeated after a kill.
const repetitions = 1

// work acts until the owner is gone, or nothing is left to do.
func (p *performer) work(ctx context.Context, api ledger.API, c *counter) error {
	if p.late {
		select {
		case <-c.enough:
		case <-c.dead:
		}
	}
	for {
		if p.pending = p.actor.next(p.random); p.pending == nil {
			return nil
		}
		name := p.pending.name
		err := p.perform(ctx, api)
		if fault.Is(err, fault.Unavailable) {
			return nil
		}
		if err != nil {
			return err
		}
		c.acked(name)
	}
}

// perform sends the pending operation and takes its answer over.
func (p *performer) perform(ctx context.Context, api ledger.API) error {
	op := p.pending
	answer, apply, err := op.send(ctx, api)
	if err != nil {
		return refused(err, "%s: %s", p.name, op.name)
	}
	apply()
	p.pending = nil
	if op.keyed {
		p.recent = append(p.recent, acknowledged{op, answer})
		p.recent = slices.Delete(p.recent, 0, max(0, len(p.recent)-repetitions))
	}
	return nil
}

// check compares the ledger with the model. What was under way may be in it or not; it is then sent
// again, so that it is.
func (p *performer) check(ctx context.Context, api ledger.API, all *inventory) error {
	observed, err := p.actor.observe(ctx, api, all)
	if err != nil {
		return refused(err, "%s", p.name)
	}
	without := p.actor.expect().differ(observed)
	if p.pending == nil {
		if without != "" {
			return violated("%s: %s", p.name, without)
		}
		return nil
	}
	name := p.pending.name
	if err := p.perform(ctx, api); err != nil {
		return refused(err, "after the kill")
	}
	if with := p.actor.expect().differ(observed); without != "" && with != "" {
		return violated("%s: %s was under way; without it: %s; with it: %s", p.name, name, without, with)
	}
	return nil
}

// repeat sends the newest acknowledged operations again: they are answered the same.
func (p *performer) repeat(ctx context.Context, api ledger.API) error {
	for _, a := range p.recent {
		again, _, err := a.op.send(ctx, api)
		if err != nil {
			return refused(err, "%s: %s again", p.name, a.op.name)
		}
		if again != a.answer {
			return violated("%s: %s was answered with %s, and again with %s", p.name, a.op.name, a.answer, again)
		}
	}
	return nil
}
