package engine

import (
	"slices"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// How long providers keep a prompt in their cache after its last use: minutes, or an hour where that was
// asked for when it was written.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
)

// cold reports whether the provider's cache has let go of what the newest answer was made from. It
// has not where the time of that answer is not known.
func (f *folded) cold(now time.Time) bool {
	var answered time.Time
	life := cacheLife
	for _, e := range slices.Backward(f.entries) {
		if e.Kind != sessions.KindMessage || e.Hidden || e.Role != transcript.RoleAssistant {
			continue
		}
		if answered.IsZero() {
			answered = e.Time
		}
		if e.Usage != nil && e.Usage.CacheWrite > 0 {
			if e.Usage.CacheLong > 0 {
				life = cacheLifeLong
			}
			break
		}
	}
	return !answered.IsZero() && now.Sub(answered) > life
}
