package daemon

import (
	"net"
	"sync"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
)

// presence counts the connected clients and implements the daemon's idle timeout.
type presence struct {
	env     env.Env
	timeout time.Duration
	limit   int // of clients

	mu      sync.Mutex
	timer   *time.Timer // guarded by mu; runs while no client is connected
	clients int         // guarded by mu
	last    time.Time   // guarded by mu; of the newest request
	leavers []net.Conn  // guarded by mu; clients that wait until this owner has left
}

// init starts the idle timeout, which calls idle.
func (p *presence) init(c Config, idle func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.env, p.timeout, p.limit, p.last = c.Env, c.Idle, capacity(link.Descriptors()), c.Env.Now()
	p.timer = time.AfterFunc(c.Idle, func() {
		if n, _ := p.now(); n == 0 {
			idle()
		}
	})
}

// enter adds a client, and reports whether the limit allows it.
func (p *presence) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients >= p.limit {
		return false
	}
	p.clients++
	p.timer.Stop()
	return true
}

// exit removes a client.
func (p *presence) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients--
	if p.clients == 0 {
		p.timer.Reset(p.timeout)
	}
}

// touch records the time of a request.
func (p *presence) touch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.env.Now()
}

// now returns how many clients are connected and how long ago the newest request was.
func (p *presence) now() (clients int, idle time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clients, p.env.Now().Sub(p.last)
}

// stop ends the idle timeout.
func (p *presence) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
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
