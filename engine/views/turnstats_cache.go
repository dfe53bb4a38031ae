package views

import (
	"context"
	"slices"
	"sync"

	"ctxledger.dev/internal/fault"
)

// maxCached is how many sessions' turns are cached.
const maxCached = 2

// statsCache keeps the turns of the most recently requested sessions, so that only the new part of their logs is
// replayed.
type statsCache struct {
	mu   sync.Mutex
	kept []*cachedStats // guarded by mu; the most recently used last
}

// cachedStats is the replay of one session. One request at a time has it: of several concurrent ones, the first
// replays and the others continue from there.
type cachedStats struct {
	session string
	held    chan struct{} // a semaphore of one
	replay  *turnReplay   // owned by the holder of the semaphore; nil: nothing was replayed
}

// take returns the cached replay of a session for exclusive use, until release.
// Errors: unavailable when ctx ends before it is free.
func (c *statsCache) take(ctx context.Context, session string) (*cachedStats, error) {
	kept := c.find(session)
	select {
	case kept.held <- struct{}{}:
		return kept, nil
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Unavailable, "engine.turnstats", ctx.Err())
	}
}

// release ends the exclusive use.
func (s *cachedStats) release() { <-s.held }

// find returns the entry of a session and evicts the least recently used one above maxCached. A request that uses an
// evicted entry finishes with it.
func (c *statsCache) find(session string) *cachedStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &cachedStats{session: session, held: make(chan struct{}, 1)}
	if i := slices.IndexFunc(c.kept, func(o *cachedStats) bool { return o.session == session }); i >= 0 {
		s = c.kept[i]
		c.kept = slices.Delete(c.kept, i, i+1)
	}
	c.kept = append(c.kept, s)
	c.kept = slices.Delete(c.kept, 0, max(0, len(c.kept)-maxCached))
	return s
}

// clear drops all entries.
func (c *statsCache) clear() {
	c.mu.Lock()
	c.kept = nil
	c.mu.Unlock()
}

// from returns the replay that a log of so many entries continues. It starts again if the log was rewritten.
func (s *cachedStats) from(rewritten uint64, entries int) *turnReplay {
	if s.replay == nil || s.replay.rewritten != rewritten || len(s.replay.log.Entries) > entries {
		s.replay = &turnReplay{rewritten: rewritten, sizes: map[string]int{}}
	}
	return s.replay
}
