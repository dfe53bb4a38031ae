package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// ours is the product's own view, from a ledger: before each request it is asked for edits, and a
// compaction is made where it says that one is due.
type ours struct {
	whole   bool // stubs count as what they stand for
	noEdits bool
	mode    compaction.Mode // of compactions
	policy  *window.Policy  // nil: the default
}

// oursRun is one run of it.
type oursRun struct {
	ours
	*Scratch
	played *Session   // without its host's compactions: those of the product take their place
	clock  *time.Time // of the ledger: the time of the step

	// blocks is the view as it was read last.
	blocks []block
	known  map[string]block // by the hash of a message
	saved  map[string]int   // tokens that stubs save in a message, by its id in the ledger
}

func openOurs(o ours) func(context.Context, env.Env, *track, int) (viewer, error) {
	return func(ctx context.Context, e env.Env, t *track, _ int) (viewer, error) {
		clock := t.steps[0].at
		e.Now = func() time.Time { return clock }
		l, err := Open(ctx, e, t.Session, engine.Settings{Policy: o.policy})
		if err != nil {
			return nil, err
		}
		return &oursRun{ours: o, Scratch: l, played: t.uncompacted(), clock: &clock,
			known: map[string]block{}, saved: map[string]int{}}, nil
	}
}

// view appends what was said since, lets the product decide, and reads the view.
func (o *oursRun) view(ctx context.Context, st *step) (view, error) {
	*o.clock = st.at
	if err := o.Append(ctx, o.played, st.upTo); err != nil || o.SessionID == "" {
		return view{}, err
	}
	made, err := o.EditView(ctx, ledger.EditViewRequest{Session: o.SessionID, DryRun: o.noEdits})
	if err != nil {
		return view{}, err
	}
	v := view{}
	if made.Due.Reason != "" {
		if v.compacted, err = o.compact(ctx, made); err != nil {
			return v, err
		}
	}
	if v.stepped = made.Step > 0 || v.compacted; v.stepped {
		o.blocks = nil // what was sent before has changed
	}
	err = o.read(ctx)
	v.blocks = o.blocks
	return v, err
}

// compact compacts the view, if that is possible.
func (o *oursRun) compact(ctx context.Context, made ledger.EditedView) (bool, error) {
	r := ledger.PlanCompactionRequest{Session: o.SessionID, Options: compaction.Options{
		Mode: o.mode, Reason: made.Due.Reason, KeepTail: o.noEdits,
	}}
	if o.mode == compaction.Window {
		r.Options.Budget = made.After / 2
	}
	p, err := ledger.Compact(ctx, o, r, "", false)
	return p.Outcome == compaction.Compacted, err
}

// read brings the blocks up to date. Between two steps that change the view it only grows, but for its last
// message, which may go on: that is invariant 4, so what is known is not read again.
func (o *oursRun) read(ctx context.Context) error {
	known := max(0, len(o.blocks)-lastOpen)
	resp, err := ledger.Messages(ctx, o, ledger.ViewRequest{Session: o.SessionID, From: known})
	if err != nil {
		return err
	}
	if o.whole {
		if err := o.learnStubs(ctx); err != nil {
			return err
		}
	}
	blocks := o.blocks[:known:known]
	for _, m := range resp.Messages {
		blocks = append(blocks, o.block(m))
	}
	o.blocks = blocks
	return nil
}

// lastOpen is how many messages at the end of a view may still change: an answer and its results.
const lastOpen = 2

// block makes the block of a message of the view. The same bytes are the same block.
func (o *oursRun) block(m ledger.ViewMessage) block {
	sum := sha256.Sum256(m.JSON)
	id := hex.EncodeToString(sum[:16])
	b, known := o.known[id]
	if !known {
		if decoded, err := transcript.Decode(m.Format, m.JSON); err == nil {
			b = blockOf(decoded, 0)
		}
		b.id = id
		b.tokens += o.saved[m.ID]
		o.known[id] = b
	}
	return b
}

// learnStubs notes what the stubs of new entries save, to take that back.
func (o *oursRun) learnStubs(ctx context.Context) error {
	r := ledger.LogRequest{Session: o.SessionID, From: int64(len(o.saved)) + 1}
	for e, err := range ledger.LogEntries(ctx, o, r) {
		if err != nil {
			return err
		}
		saved := 0
		for _, res := range e.Results {
			if res.Artifact != "" {
				saved += res.Tokens - res.StubTokens
			}
		}
		o.saved[e.ID] = saved
	}
	return nil
}

func (v view) size() int {
	n := 0
	for _, b := range v.blocks {
		n += b.tokens
	}
	return n
}
