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
	whole bool   // stubs count as what they stand for
	parts []part // what may change the view before a request, in order

	// blocks is the view as it was read last.
	blocks []block
	known  map[string]block // by the hash of a message
	saved  map[string]int   // tokens that stubs save in a message, by its id in the ledger
}

func openOurs(o ours) func(context.Context, env.Env, *track, room) (viewer, error) {
	return func(ctx context.Context, e env.Env, t *track, r room) (viewer, error) {
		l, err := openLedger(ctx, e, t.About.Dir)
		if err != nil {
			return nil, err
		}
		run := o
		run.ledger, run.t, run.room, run.known, run.saved = l, t, r, map[string]block{}, map[string]int{}
		return &run, nil
	}
}

// A part of the product changes a view that is about to be sent. It reports whether it compacted, and
// forgets o.blocks when it changed what was sent before.
type part func(ctx context.Context, o *ours) (compacted bool, err error)

// compact is the part that compacts a view that is too large, in one of the modes.
func compact(mode compaction.Mode) part {
	return func(ctx context.Context, o *ours) (bool, error) {
		if (view{blocks: o.blocks}).size() <= o.room.limit {
			return false, nil
		}
		r := engine.PlanCompactionRequest{Session: o.session, Options: compaction.Options{Mode: mode, Reason: "replay"}}
		if mode == compaction.Window {
			r.Options.Budget = o.room.limit / 2
		}
		p, err := engine.Compact(ctx, o, r, "", false)
		if err != nil || p.Outcome != compaction.Compacted {
			return false, err
		}
		o.blocks = nil
		return true, nil
	}
}

// edit is the part that shows less of what was said, where that pays.
func edit(ctx context.Context, o *ours) (bool, error) {
	made, err := o.EditView(ctx, engine.EditViewRequest{Session: o.session})
	if err == nil && made.Step > 0 {
		o.blocks = nil
	}
	return false, err
}

// view appends what was said since, lets each part have its turn, and reads the view.
func (o *ours) view(ctx context.Context, upTo int) (view, error) {
	v := view{}
	if err := o.append(ctx, o.t.Session, upTo); err != nil || o.session == "" {
		return v, err
	}
	for _, p := range o.parts {
		if err := o.read(ctx); err != nil {
			return v, err
		}
		compacted, err := p(ctx, o)
		if err != nil {
			return v, err
		}
		v.compacted = v.compacted || compacted
	}
	err := o.read(ctx)
	v.blocks = o.blocks
	return v, err
}

// read brings the blocks up to date. Between two steps that change the view it only grows, but for its last
// message, which may go on: that is invariant 4, so what is known is not read again.
func (o *ours) read(ctx context.Context) error {
	known := max(0, len(o.blocks)-lastOpen)
	resp, err := engine.Messages(ctx, o, engine.ViewRequest{Session: o.session, From: known})
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
func (o *ours) block(m engine.ViewMessage) block {
	sum := sha256.Sum256(m.JSON)
	id := hex.EncodeToString(sum[:16])
	b, known := o.known[id]
	if !known {
		if decoded, err := transcript.Decode(m.Format, m.JSON); err == nil {
			b = blockOf(decoded, 0)
		}
		b.id, b.tokens = id, m.Tokens+o.saved[m.ID]
		o.known[id] = b
	}
	return b
}

// learnStubs notes what the stubs of new entries save, to take that back.
func (o *ours) learnStubs(ctx context.Context) error {
	r := engine.LogRequest{Session: o.session, From: int64(len(o.saved)) + 1}
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
			o.saved[e.ID] = saved
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
