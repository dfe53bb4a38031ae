package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/transcript"
)

// ours is the product's own view, from a ledger.
type ours struct {
	*ledger
	t     *track
	room  room
	stubs bool
	mode  compaction.Mode
	// blocks is the view as it was read last.
	blocks []block
	known  map[string]block // by the hash of a message
	whole  map[string]int   // tokens that stubs save in a message, by its id in the ledger
}

func openOurs(o ours) func(context.Context, env.Env, *track, room) (viewer, error) {
	return func(ctx context.Context, e env.Env, t *track, r room) (viewer, error) {
		l, err := openLedger(ctx, e, t.About.Dir)
		if err != nil {
			return nil, err
		}
		run := o
		run.ledger, run.t, run.room, run.known, run.whole = l, t, r, map[string]block{}, map[string]int{}
		return &run, nil
	}
}

// view appends what was said since, compacts when there is too much of it, and reads the view.
func (o *ours) view(ctx context.Context, upTo int) (view, error) {
	if err := o.append(ctx, o.t.Session, upTo); err != nil || o.session == "" {
		return view{}, err
	}
	v := view{}
	if err := o.read(ctx); err != nil {
		return v, err
	}
	if v.blocks = o.blocks; v.size() <= o.room.limit {
		return v, nil
	}
	r := engine.PlanCompactionRequest{Session: o.session, Options: compaction.Options{Mode: o.mode, Reason: "replay"}}
	if o.mode == compaction.Window {
		r.Options.Budget = o.room.limit / 2
	}
	p, err := engine.Compact(ctx, o, r, "", false)
	if err != nil || p.Outcome != compaction.Compacted {
		return v, err
	}
	o.blocks = nil
	err = o.read(ctx)
	return view{blocks: o.blocks, compacted: true}, err
}

// read brings the blocks up to date. Between two steps that change the view it only grows, but for its last
// message, which may go on: that is invariant 4, so what is known is not read again.
func (o *ours) read(ctx context.Context) error {
	known := max(0, len(o.blocks)-lastOpen)
	resp, err := engine.Messages(ctx, o, engine.ViewRequest{Session: o.session, From: known})
	if err != nil {
		return err
	}
	if !o.stubs {
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
func (o *ours) block(m engine.ViewMessage) block {
	sum := sha256.Sum256(m.JSON)
	id := hex.EncodeToString(sum[:16])
	b, known := o.known[id]
	if !known {
		if decoded, err := transcript.Decode(m.Format, m.JSON); err == nil {
			b = blockOf(decoded, 0)
		}
		b.id, b.tokens = id, m.Tokens+o.whole[m.ID]
		o.known[id] = b
	}
	return b
}

// learnStubs notes what the stubs of new entries save, to take that back.
func (o *ours) learnStubs(ctx context.Context) error {
	r := engine.LogRequest{Session: o.session, From: int64(len(o.whole)) + 1}
	for {
		page, err := o.Log(ctx, r)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			saved := 0
			for _, res := range e.Results {
				if res.Artifact != "" {
					saved += res.Tokens - res.StubTokens
				}
			}
			o.whole[e.ID] = saved
		}
		if page.Next == 0 {
			return nil
		}
		r.From = page.Next
	}
}

func (v view) size() int {
	n := 0
	for _, b := range v.blocks {
		n += b.tokens
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }
