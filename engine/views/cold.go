package views

import (
	"slices"
	"time"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// How long providers keep a prompt in their cache after its last use: minutes, or an hour if the request that wrote
// it asked for that.
const (
	cacheLife     = 5 * time.Minute
	cacheLifeLong = time.Hour
)

// cacheLeast is how many tokens a prompt has at least that a provider caches without being asked to.
const cacheLeast = 1024

// providersCache is what the provider's cache is thought to have of a session's newest request.
type providersCache struct {
	cold   bool  // it has probably expired, all of it
	long   bool  // the newest write was for an hour
	kept   int64 // tokens at the front that have not expired
	had    int64 // tokens that it had right after the newest request
	missed bool  // a request soon after another one found nothing in it
}

// cachedPart is a part of a prompt: its end, in tokens from the front, and how long the cache keeps it after a use, with all
// that is before it.
type cachedPart struct {
	end  int64
	life time.Duration
}

// cachedAt returns the state of the provider's cache after some entries, and a request that was sent; zero: none is known. It is
// warm where the time of the newest answer is not known. Each request uses all that it read and wrote: what was written for
// an hour stays so long after its last use, whatever was written behind it.
func cachedAt(entries []sessions.Entry, sent, now time.Time) (c providersCache) {
	var used time.Time
	var parts, before []cachedPart
	var asked sessions.Usage // of the newest request, in all parts of its answer
	group := ""
	for i := range entries {
		e := &entries[i]
		said := e.Kind == sessions.KindMessage && e.Role == transcript.RoleAssistant
		if e.Hidden || !said && !e.Measured() {
			continue
		}
		if u := e.Usage; u != nil && u.Prompt() > 0 {
			if e.Group == "" || e.Group != group {
				c.missed = c.missed || !used.IsZero() && e.Time.Sub(used) < cacheLife && u.CacheRead == 0
				before, asked, group = parts, sessions.Usage{}, e.Group
			}
			asked = asked.Add(*u)
			parts = usedBy(before, asked)
			if u.CacheWrite > 0 {
				c.long = u.CacheLong > 0
			}
		}
		used = e.Time
	}
	if sent.After(used) {
		used = sent
	}
	for _, p := range parts {
		c.had = p.end
		if now.Sub(used) <= p.life {
			c.kept = p.end
		}
	}
	c.cold = !used.IsZero() && c.kept == 0 && now.Sub(used) > cacheLife
	return c
}

// usedBy returns the parts of a prompt that are cached after a request: those that it read, and what it wrote. What it read
// beyond them was written by a request that is not recorded, for as long as is usual.
func usedBy(parts []cachedPart, u sessions.Usage) []cachedPart {
	n := slices.IndexFunc(parts, func(p cachedPart) bool { return p.end >= u.CacheRead })
	life := cacheLife
	if n >= 0 {
		life, parts = parts[n].life, parts[:n]
	}
	parts = slices.Clone(parts)
	for _, p := range []cachedPart{{u.CacheRead, life}, {u.CacheRead + u.CacheLong, cacheLifeLong},
		{u.CacheRead + u.CacheWrite, cacheLife}} {
		if last := len(parts) - 1; p.end > 0 && (last < 0 || p.end > parts[last].end) {
			parts = append(parts, p)
		}
	}
	return parts
}

// cachesUnasked reports whether the provider of a model caches prompts by itself, which costs nothing.
func cachesUnasked(m tokens.Model) bool {
	_, reads := m.Price.CachedRead.PerMillion()
	_, writes := m.Price.CachedWrite.PerMillion()
	return reads && !writes
}
