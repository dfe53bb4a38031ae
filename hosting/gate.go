package hosting

import (
	"net/http"
	"sync"
	"time"

	"ctxledger.dev/hosting/access"
)

// What is at work at once, of all and of one token. What is beyond it is refused, and asked again.
const (
	mostRequests   = 1024
	mostRequestsOf = 512
	mostBytes      = 256 << 20 // of bodies
	mostBytesOf    = 64 << 20
	burst          = 2 // seconds of a token's rate that may come at once
)

// gate counts what is at work. It is safe for concurrent use.
type gate struct {
	mu     sync.Mutex
	all    load             // guarded by mu
	tokens map[string]*load // guarded by mu; by id, of tokens that are or were valid
}

// load is what is at work, and of a token how many requests it may send now.
type load struct {
	requests int
	bytes    int64
	left     float64
	at       time.Time
}

// enter counts a request until leave is called, or returns why it is refused.
func (g *gate) enter(t access.Token, bytes int64, now time.Time) (no *refusal, leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := g.tokens[t.ID]
	if own == nil {
		own = &load{left: float64(burst * t.Rate), at: now}
		g.tokens[t.ID] = own
	}
	rate := float64(t.Rate)
	own.left, own.at = min(burst*rate, own.left+rate*max(0, now.Sub(own.at).Seconds())), now
	switch {
	case own.left < 1:
		no = &refusal{http.StatusTooManyRequests, "rate", "too many requests per second with this token"}
	case own.requests >= mostRequestsOf || own.bytes+bytes > mostBytesOf:
		no = &refusal{http.StatusTooManyRequests, "concurrency", "the token has too many requests in progress"}
	case g.all.requests >= mostRequests || g.all.bytes+bytes > mostBytes:
		no = &refusal{http.StatusServiceUnavailable, "busy", "the server has too many requests in progress"}
	default:
		own.left--
		own.add(1, bytes)
		g.all.add(1, bytes)
		return nil, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			own.add(-1, -bytes)
			g.all.add(-1, -bytes)
		}
	}
	return no, func() {}
}

func (l *load) add(requests int, bytes int64) {
	l.requests += requests
	l.bytes += bytes
}
