package daemon

import (
	"bufio"
	"context"
	"net"
	"slices"
	"sync"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// maxCalls is how many calls of one connection run at once; more are refused as limited.
const maxCalls = 64

// caller is the owner's side of a connection for calls.
type caller struct {
	d    *daemon
	conn net.Conn
	work sync.WaitGroup // calls being answered

	writing sync.Mutex // held while a response is written

	mu      sync.Mutex
	running map[uint64]context.CancelFunc // guarded by mu; the in-flight calls
}

// serveCalls answers calls until the client disconnects or the daemon leaves.
func (d *daemon) serveCalls(conn net.Conn) {
	c := &caller{d: d, conn: conn, running: make(map[uint64]context.CancelFunc)}
	// A deadline in the past ends only the reading: answers are still sent.
	unwatch := context.AfterFunc(d.leaving, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer unwatch()
	in := bufio.NewReaderSize(conn, link.ReadAhead)
	for {
		r, err := link.ReadRequest(in)
		if err != nil {
			break
		}
		if r.Cancel {
			c.cancel(r.ID)
			continue
		}
		c.begin(r)
	}
	if d.leaving.Err() == nil {
		c.cancelAll() // the client has disconnected: no one reads the answers
	}
	c.work.Wait()
	if d.leaving.Err() != nil {
		c.answer(link.Response{Bye: true})
	}
}

// begin answers a call on a goroutine of its own.
func (c *caller) begin(r link.Request) {
	ctx, cancel := context.WithTimeout(c.d.hard, deadline(r))
	if refusal := c.admit(r.ID, cancel); refusal != nil {
		cancel()
		c.answer(link.Response{ID: r.ID, Error: refusal})
		return
	}
	c.work.Go(func() {
		a, answered := c.run(ctx, r)
		c.finish(r.ID) // before the answer: the client may then reuse the id
		if answered {
			c.answer(a)
			failpoint.Hit("daemon.call.answered")
		}
	})
}

// admit registers a call as running, or returns why it is refused.
func (c *caller) admit(id uint64, cancel context.CancelFunc) *fault.Error {
	const op = "daemon.call"
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.running[id]; taken {
		return fault.New(fault.Invalid, op, "a call with this id is in flight")
	}
	if len(c.running) >= maxCalls {
		return fault.New(fault.Limited, op, "%d calls on this connection are in flight", maxCalls).
			WithHint("wait for one of them")
	}
	c.running[id] = cancel
	return nil
}

// finish unregisters a call that is about to be answered.
func (c *caller) finish(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running[id]() // releases its timer
	delete(c.running, id)
}

// deadline returns how long a call may take.
func deadline(r link.Request) time.Duration {
	if r.Deadline <= 0 {
		return limits.Call
	}
	longest := limits.LongPoll + limits.Call
	if slices.Contains(maintenance, r.Method) {
		longest = limits.Maintenance
	}
	return min(time.Duration(r.Deadline)*time.Millisecond, longest)
}

// run executes one call. A long poll that the daemon's shutdown interrupts is not answered: the client
// asks the next owner.
func (c *caller) run(ctx context.Context, r link.Request) (a link.Response, answered bool) {
	poll := r.Method == link.WaitEvents
	if poll {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.d.leaving, cancel)()
	}
	failpoint.Hit("daemon.call.heard")
	out, err := c.d.handle(ctx, r)
	failpoint.Hit("daemon.call.done")
	c.d.leaveIfMoved(err)
	if err == nil {
		return link.Reply(r, out), true
	}
	if poll && c.d.leaving.Err() != nil {
		return link.Response{}, false
	}
	return link.Response{ID: r.ID, Error: c.d.wire(err)}, true
}

// leaveIfMoved makes the daemon leave when an error says that its ledger was moved or replaced: the next
// call opens the ledger that is there now.
func (d *daemon) leaveIfMoved(err error) {
	if fault.Is(err, fault.Moved) {
		d.leave(errGone)
	}
}

// answer sends a response.
func (c *caller) answer(r link.Response) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.d.send(c.conn, r)
}

// cancel ends a call, which may have ended already.
func (c *caller) cancel(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.running[id]; ok {
		cancel()
	}
}

// cancelAll ends every call of the connection.
func (c *caller) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.running {
		cancel()
	}
}

// handle calls the method that a request names.
func (d *daemon) handle(ctx context.Context, r link.Request) (out link.Content, err error) {
	method, ok := methods[r.Method]
	if !ok {
		method, ok = older[r.Method]
	}
	if !ok {
		return link.Content{}, fault.New(fault.Invalid, "daemon.call", "%s", noMethod(r.Method)).
			WithHint(hintSkew)
	}
	if r.Method != "Info" { // which does not use it
		defer d.presence.begin(r.Method == link.WaitEvents)()
	}
	err = guarded(d.config.Env, d.log, func() error {
		out, err = method(ctx, present{d.api, d}, r.Take(r.Body), r.Raw)
		return err
	})
	return out, err
}

// present is the ledger with the owner's data added to Info.
type present struct {
	ledger.API
	d *daemon
}

// Info adds what only the owner knows.
func (p present) Info(ctx context.Context, r ledger.InfoRequest) (ledger.Info, error) {
	info, err := p.API.Info(ctx, r)
	clients, _, idle := p.d.presence.now()
	info.PID, info.Started, info.Clients, info.Idle = p.d.self.PID, p.d.started, clients, idle.Seconds()
	info.InProcess = false
	p.d.tasks.Inform(r, &info)
	return info, err
}
