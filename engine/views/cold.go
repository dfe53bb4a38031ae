package views

import (
	"slices"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// How long providers keep a prompt in their cache after its last use: minutes, or an hour if the request that wrote
// it asked for that.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
)

// providersCache is the state of a session's newest request in the cache of its provider.
type providersCache struct {
	cold bool // it has expired
	long bool // it is kept for an hour
}

// cachedAt returns the state of the provider's cache after some entries, and a request that was sent; zero: none is known. It is
// warm where the time of the newest answer is not known.
func cachedAt(entries []sessions.Entry, sent, now time.Time) (c providersCache) {
	var answered time.Time
	for _, e := range slices.Backward(entries) {
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
	if sent.After(answered) {
		answered = sent
	}
	c.cold = !answered.IsZero() && now.Sub(answered) > life
	return c
}
