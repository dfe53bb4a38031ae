package daemon

import (
	"net"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
)

// presence knows who is connected, and calls idle when nobody has been for a while.
type presence struct {
	env  env.Env
	wait time.Duration
	room int // for clients

	mu      sync.Mutex
	timer   *time.Timer // guarded by mu; runs while nobody is connected
	clients int         // guarded by mu
	last    time.Time   // guarded by mu; of the newest request
	leavers []net.Conn  // guarded by mu; wait for the end of this owner
}

func (p *presence) init(c Config, idle func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.env, p.wait, p.room, p.last = c.Env, c.Idle, capacity(descriptors()), c.Env.Now()
	p.timer = time.AfterFunc(c.Idle, func() {
		if n, _ := p.now(); n == 0 {
			idle()
		}
	})
}

// enter counts a client in, and reports whether there is room for it.
func (p *presence) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients >= p.room {
		return false
	}
	p.clients++
	p.timer.Stop()
	return true
}

// exit counts a client out.
func (p *presence) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients--
	if p.clients == 0 {
		p.timer.Reset(p.wait)
	}
}

// touch notes a request.
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

// stop ends the waiting for idleness.
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

// release closes the connections that wait for the end.
func (p *presence) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.leavers {
		_ = conn.Close() // closing is the message
	}
}
