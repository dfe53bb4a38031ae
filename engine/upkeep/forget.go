package upkeep

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// Bounds of a response about forgetting.
const (
	maxForgottenSessions = 1000 // sessions that it names
	maxLeft              = 100  // places that it names as still containing the text
)

// Forget implements ledger.Erasure.
//
// Forgetting proceeds in steps, each a short transaction after which every handle resolves or says that its content was
// forgotten. The first steps remove the originals and list their blobs for deletion; the next remove what was derived
// from them. Then the blobs are deleted, and the file of records is rewritten so that no freed page keeps a byte. After
// a crash in between, the same request finds what is left, continues, and counts that.
func (l *Upkeep) Forget(ctx context.Context, r ledger.ForgetRequest) (ledger.Forgotten, error) {
	if err := l.checkForget(r); err != nil {
		return ledger.Forgotten{}, err
	}
	// Neither the text nor the name is part of the request's identity, because its hash would be kept for a day.
	m := l.core.NewMutation("forget", r.Key, r.Handle, r.DryRun)
	done, err := l.maintain(ctx, "forgetting")
	if err != nil {
		return ledger.Forgotten{}, err
	}
	defer done()
	if f, done, err := core.PreviousResponse[ledger.Forgotten](ctx, l.core, m); done || err != nil {
		if err == nil {
			err = l.resume(ctx)
		}
		return f, err
	}
	if !r.DryRun {
		defer l.spendReserve()()
	}
	e := newEraser(l, m.At)
	e.dry = r.DryRun
	switch {
	case r.Text != "":
		return e.text(ctx, r.Text, m)
	case r.Memory != "":
		if err = e.memory(ctx, r.Memory); fault.Is(err, fault.NotFound) && !r.DryRun {
			err = errors.Join(err, l.resume(ctx)) // it may have been forgotten by a process that was killed
		}
	default:
		err = e.handle(ctx, r.Handle)
	}
	if err != nil {
		return ledger.Forgotten{}, err
	}
	if err := e.finish(ctx); err != nil {
		return ledger.Forgotten{}, err
	}
	f := e.forgotten()
	if r.DryRun {
		return f, nil
	}
	if f.Outside, err = e.outside(ctx, f, func() ([]ledger.LeftPlace, error) { return e.mayHold(ctx) }); err != nil {
		return ledger.Forgotten{}, err
	}
	if f, err = e.forgot(ctx, m, f, r.Handle); err != nil {
		return ledger.Forgotten{}, err
	}
	return f, l.discard(ctx)
}

// finish forgets what names the things that were forgotten.
func (e *eraser) finish(ctx context.Context) error {
	if err := e.answers(ctx); err != nil {
		return err
	}
	return e.bury(ctx)
}

// checkForget refuses a request that does not name exactly one thing, and one of another ledger's memories.
func (l *Upkeep) checkForget(r ledger.ForgetRequest) error {
	const op = "engine.forget"
	named := slices.DeleteFunc([]string{r.Handle, r.Text, r.Memory}, func(s string) bool { return s == "" })
	switch {
	case len(named) != 1:
		return fault.New(fault.Invalid, op, "name exactly one handle, text or memory to forget")
	case r.Scope != "" && r.Memory == "":
		return fault.New(fault.Invalid, op, "a scope needs the name of a memory")
	case r.Scope != "" && r.Scope != l.core.Scope:
		return fault.New(fault.Invalid, op, "this ledger keeps memories of scope %q, not %q", l.core.Scope, r.Scope)
	}
	return core.CheckTexts(op, core.Label("handle", r.Handle), core.Label("memory", r.Memory))
}

// forgot records the response to a completed request, with its event. In the same transaction events lose what they say
// of the things that were forgotten.
func (e *eraser) forgot(
	ctx context.Context, m core.Mutation, f ledger.Forgotten, handle string,
) (ledger.Forgotten, error) {
	return core.Mutate(ctx, e.l.core, m, func(tx kv.Tx) (ledger.Forgotten, []ledger.Event, error) {
		err := (&step{Tx: tx, e: e}).told()
		return f, []ledger.Event{{Kind: ledger.EventForgotten, ID: handle}}, err
	})
}

// eraser carries out one forgetting.
type eraser struct {
	l       *Upkeep
	at      time.Time
	expired bool // by the retention policy, not on request
	dry     bool // only count what would be forgotten

	counts   map[string]int  // things forgotten, by kind
	sessions map[string]bool // whose log held some of them
	bytes    int64           // of the originals and contents among them
	items    []ledger.ForgottenItem
	without  func(s string) string // takes the text that is forgotten out of a title; nil: none is
	ids      map[string]bool       // by which stored responses name what was forgotten
	buried   []string              // sessions that lost everything, still to be marked
}

func newEraser(l *Upkeep, at time.Time) *eraser {
	return &eraser{l: l, at: at, counts: map[string]int{}, sessions: map[string]bool{}, ids: map[string]bool{}}
}

// noWrites is the transaction of a dry run, which discards writes.
type noWrites struct{ kv.Tx }

func (noWrites) Put(kv.Bucket, []byte, []byte) error { return nil }
func (noWrites) Delete(kv.Bucket, []byte) error      { return nil }

// step is what one transaction of a forgetting did. The function that fills it may run twice.
type step struct {
	kv.Tx
	e        *eraser
	counts   map[string]int
	sessions []string
	bytes    int64
	items    []ledger.ForgottenItem
}

// count counts something forgotten, and notes its session, if any.
func (s *step) count(kind, session string) {
	s.counts[kind]++
	if session != "" {
		s.sessions = append(s.sessions, session)
	}
}

// update runs one step and adds up what it did.
func (e *eraser) update(ctx context.Context, fn func(s *step) error) error {
	var s *step
	run, in := e.l.core.Store.Update, func(tx kv.Tx) kv.Tx { return tx }
	if e.dry {
		run, in = e.l.core.Store.View, func(tx kv.Tx) kv.Tx { return noWrites{tx} }
	}
	err := run(ctx, func(tx kv.Tx) error {
		s = &step{Tx: in(tx), e: e, counts: map[string]int{}}
		if err := fn(s); err != nil {
			return err
		}
		return s.begin()
	})
	if err != nil {
		return err
	}
	for kind, n := range s.counts {
		e.counts[kind] += n
	}
	for _, id := range s.sessions {
		e.sessions[id] = true
	}
	e.bytes += s.bytes
	e.describe(s.items)
	return nil
}

// forgotten returns what was counted.
func (e *eraser) forgotten() ledger.Forgotten {
	f := ledger.Forgotten{
		At: e.at, DryRun: e.dry, Counts: ledger.Counted(e.counts), Bytes: e.bytes, Items: ledger.LeadingItems(e.items),
		Left: []ledger.LeftPlace{}, Outside: []ledger.LeftPlace{},
	}
	f.Sessions = slices.Sorted(maps.Keys(e.sessions))
	f.Sessions = core.OrEmpty(f.Sessions[:min(len(f.Sessions), maxForgottenSessions)])
	return f
}

// stone is the text that replaces what was removed from another text.
func (e *eraser) stone() string {
	return "[" + tombstoneWord(e.expired) + " on " + e.at.Format(time.DateOnly) + "]"
}
