package views

import (
	"context"
	"slices"
	"sync"

	"ctxledger.dev/internal/fault"
)

// maxGrowths is how many sessions' turns are kept.
const maxGrowths = 2

// growths keeps the turns of the sessions that were asked for last, so that a session that went on is read
// on from where it was.
type growths struct {
	mu   sync.Mutex
	kept []*keptGrowth // guarded by mu; the most recently used last
}

// keptGrowth is what is kept of a session. Whoever has put something into held has its growth alone: of several who
// ask at once one replays, and the others read on from there.
type keptGrowth struct {
	session string
	held    chan struct{} // holds one
	growth  *growth       // of whoever holds it; nil: nothing was replayed
}

// take has what is kept of a session for who asks, who gives it back with release.
// Errors: unavailable when ctx ends before it is free.
func (k *growths) take(ctx context.Context, session string) (*keptGrowth, error) {
	kept := k.find(session)
	select {
	case kept.held <- struct{}{}:
		return kept, nil
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "engine.growth", ctx.Err())
	}
}

// release gives back what was taken.
func (g *keptGrowth) release() { <-g.held }

// find returns what is kept of a session, and lets the oldest go where there are too many. Who has taken that
// goes on with it.
func (k *growths) find(session string) *keptGrowth {
	k.mu.Lock()
	defer k.mu.Unlock()
	g := &keptGrowth{session: session, held: make(chan struct{}, 1)}
	if i := slices.IndexFunc(k.kept, func(o *keptGrowth) bool { return o.session == session }); i >= 0 {
		g = k.kept[i]
		k.kept = slices.Delete(k.kept, i, i+1)
	}
	k.kept = append(k.kept, g)
	k.kept = slices.Delete(k.kept, 0, max(0, len(k.kept)-maxGrowths))
	return g
}

// rest lets go of everything.
func (k *growths) rest() {
	k.mu.Lock()
	k.kept = nil
	k.mu.Unlock()
}

// from returns what a log of so many entries is replayed on from. One that was rewritten since is replayed anew.
func (g *keptGrowth) from(rewritten uint64, entries int) *growth {
	if g.growth == nil || g.growth.rewritten != rewritten || len(g.growth.log.Entries) > entries {
		g.growth = &growth{rewritten: rewritten, sizes: map[string]int{}}
	}
	return g.growth
}
