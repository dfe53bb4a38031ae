package views

import (
	"slices"
	"time"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// How long providers keep a prompt in their cache after its last use: minutes, or an hour where that was
// asked for when it was written.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
)

// providersCache is what is known of what a provider has of a session's newest request in its cache.
type providersCache struct {
	cold bool // nothing any more
	long bool // it keeps it for an hour
}

// cached says how the provider's cache stands. It is warm where the time of the newest answer is not known.
func cached(f *core.Folded, now time.Time) (c providersCache) {
	var answered time.Time
	for _, e := range slices.Backward(f.Entries) {
		if e.Kind != sessions.KindMessage || e.Hidden || e.Role != transcript.RoleAssistant {
			continue
		}
		if answered.IsZero() {
			answered = e.Time
		}
		if e.Usage != nil && e.Usage.CacheWrite > 0 {
			c.long = e.Usage.CacheLong > 0
			break
		}
	}
	life := cacheLife
	if c.long {
		life = cacheLifeLong
	}
	c.cold = !answered.IsZero() && now.Sub(answered) > life
	return c
}
