package daemon

import (
	"net"
	"sync"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
)

// presence counts the connected clients and what they ask for, and knows when the daemon was used last.
type presence struct {
	env   env.Env
	limit int // of clients

	mu      sync.Mutex
	clients int        // guarded by mu
	asked   int        // guarded by mu; calls and streams under way
	last    time.Time  // guarded by mu; when something was asked or recorded last, long polls apart
	leavers []net.Conn // guarded by mu; clients that wait until this owner has left
}

// init begins the idle time.
func (p *presence) init(e env.Env) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.env, p.limit, p.last = e, capacity(link.Descriptors()), e.Now()
}

// enter adds a client, and reports whether the limit allows it.
func (p *presence) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients >= p.limit {
		return false
	}
	p.clients++
	return true
}

// exit removes a client.
func (p *presence) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients--
}

// begin adds a call or a stream until the returned function is called. Until then the daemon does not leave by itself. A
// poll, which waits for what happens, does not use the ledger.
func (p *presence) begin(poll bool) (end func()) {
	change := func(n int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.asked += n; !poll {
			p.last = p.env.Now()
		}
	}
	change(1)
	return func() { change(-1) }
}

// touch records that the ledger is being used.
func (p *presence) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.env.Now()
}

// now returns how many clients are connected, what they ask for, and how long ago the ledger was used.
func (p *presence) now() (clients, asked int, idle time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients, p.asked, p.env.Now().Sub(p.last)
}

// hold keeps a connection open until release.
func (p *presence) hold(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leavers = append(p.leavers, conn)
}

// release closes the connections that hold keeps.
func (p *presence) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.leavers {
		_ = conn.Close() // tells the client that this owner has left
	}
}
