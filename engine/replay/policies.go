package replay

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/window"
)

// A Policy decides what each request of a session carries.
type Policy struct {
	Name string
	// recorded says that the session ran like this: what its agent had to read again, it did.
	recorded bool
	// open starts a run of the policy. Above limit o200k_base tokens of messages it makes the view smaller.
	open func(ctx context.Context, e env.Env, t *track, limit int) (viewer, error)
}

// A viewer is one run of a policy over one session.
type viewer interface {
	// view returns the messages of the request of a step. It is asked once a step, in order.
	view(ctx context.Context, st *step) (view, error)
	Close() error
}

// view is what one request carries.
type view struct {
	blocks []block
	// summarised is the answer of a model that was asked for a summary since the last request, in
	// o200k_base tokens; 0: none was.
	summarised int
	compacted  bool
	// stepped says that something was decided about what was sent before: a compaction, or edits.
	stepped bool
}

// Ours is the number of the product's default among Policies.
const Ours = 2

// Policies are those that are compared. The first is what the others are measured against, the third is
// the product's default; behind it, what it is without each of its parts.
func Policies() []Policy {
	warm, full := window.Default(), window.Default()
	warm.Compact.Idle = 0
	full.Compact.Fraction, full.Compact.Effective, full.Compact.Idle, full.Compact.Gain = 0.85, 0, 0, 0
	return []Policy{
		{Name: "none", recorded: true, open: openRecorded}, // with its host's own compactions
		{Name: "sliding window", open: openSliding},        // the newest messages that fit
		{Name: "ctxledger", open: openOurs(ours{})},
		{Name: "without stubs", open: openOurs(ours{whole: true})},
		{Name: "without edits", open: openOurs(ours{noEdits: true})},
		{Name: "without document", open: openOurs(ours{mode: compaction.Window})}, // old turns are dropped
		{Name: "without pauses", open: openOurs(ours{policy: &warm})},             // it takes every cache for warm
		{Name: "at 85% of the window", open: openOurs(ours{policy: &full})},
	}
}

// recorded is the policy "none".
type recorded struct{ *track }

func openRecorded(_ context.Context, _ env.Env, t *track, _ int) (viewer, error) {
	return recorded{t}, nil
}

func (r recorded) view(_ context.Context, st *step) (v view, _ error) {
	shown, compacted := r.sent(st.upTo)
	for _, i := range shown {
		v.blocks = append(v.blocks, r.blocks[i])
	}
	if v.stepped, v.compacted = compacted, compacted; compacted {
		v.summarised = r.blocks[shown[0]].tokens
	}
	return v, nil
}

// sent returns the entries whose messages the request behind an entry has. compacted says that the host asked for the
// summary that it begins with before this request: no other came in between.
func (t *track) sent(upTo int) (shown []int, compacted bool) {
	from := 0
	for _, s := range t.Summaries {
		if s < upTo {
			from, compacted = s, t.firstStepAfter(s) == upTo
		}
	}
	for i := from; i < upTo; i++ {
		if t.blocks[i].id != "" && (i == from && from > 0 || !t.Entries[i].Hidden) {
			shown = append(shown, i)
		}
	}
	return shown, compacted && len(shown) > 0 && shown[0] == from
}

func (recorded) Close() error { return nil }

func (t *track) firstStepAfter(entry int) int {
	for _, s := range t.steps {
		if s.upTo > entry {
			return s.upTo
		}
	}
	return -1
}

// sliding keeps the newest messages that fit, moving with every request.
type sliding struct {
	*track
	limit int
}

func openSliding(_ context.Context, _ env.Env, t *track, limit int) (viewer, error) {
	return sliding{t, limit}, nil
}

func (s sliding) view(_ context.Context, st *step) (view, error) {
	upTo := st.upTo
	from, sum := upTo, 0
	for from > 0 && sum+s.shown(from-1).tokens <= s.limit {
		from--
		sum += s.shown(from).tokens
	}
	for from > 0 && from < upTo && (s.shown(from).id == "" || s.shown(from).result) {
		from++
	}
	v := view{}
	for i := from; i < upTo; i++ {
		if b := s.shown(i); b.id != "" {
			v.blocks = append(v.blocks, b)
		}
	}
	return v, nil
}

func (sliding) Close() error { return nil }

// shown returns the block of an entry that belongs to the conversation, else the zero block.
func (t *track) shown(entry int) block {
	if t.Entries[entry].Hidden {
		return block{}
	}
	return t.blocks[entry]
}
