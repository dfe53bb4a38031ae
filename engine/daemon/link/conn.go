package link

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
)

// errLost says that a connection ended before the answer came; the call can be repeated.
var errLost = errors.New("the connection to the ledger's owner was lost")

// errUnsent is errLost for a request that was not sent: the owner has not seen it.
var errUnsent = fmt.Errorf("%w before", errLost)

// Conn is a client's connection for calls. One goroutine reads from it until close.
type Conn struct {
	conn    net.Conn
	owner   Owner
	pid     int           // of the owner, from its welcome
	writing chan struct{} // a lock with timeout for writing; holds one token
	gone    chan struct{} // closed when the connection has ended
	work    sync.WaitGroup

	mu      sync.Mutex
	waiting map[uint64]chan Response // guarded by mu; nil when the connection has ended
	last    uint64                   // guarded by mu; the newest id
	bye     bool                     // guarded by mu; the owner shut down cleanly
}

// NewConn takes ownership of a connection that was opened for calls.
func NewConn(conn net.Conn, o Owner, pid int) *Conn {
	l := &Conn{
		conn: conn, owner: o, pid: pid,
		writing: make(chan struct{}, 1), gone: make(chan struct{}),
		waiting: make(map[uint64]chan Response),
	}
	l.work.Go(l.read)
	return l
}

// read delivers responses until the connection ends.
func (l *Conn) read() {
	in := bufio.NewReaderSize(l.conn, ReadAhead)
	for {
		r, err := ReadResponse(in)
		if err != nil {
			l.end()
			return
		}
		l.mu.Lock()
		if r.Bye {
			l.bye = true
		}
		if answer, ok := l.waiting[r.ID]; ok {
			delete(l.waiting, r.ID)
			answer <- r // buffered: does not block
		}
		l.mu.Unlock()
	}
}

// end wakes all waiting calls: the connection has ended.
func (l *Conn) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.conn.Close() // it may be broken already
	l.waiting = nil
	close(l.gone)
}

// lost reports whether the connection has ended, and whether its owner said goodbye before.
func (l *Conn) lost() (lost, bye bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting == nil, l.bye
}

// Close ends the connection and waits for its goroutine.
func (l *Conn) Close() {
	_ = l.conn.Close() // it may be broken already
	l.work.Wait()
}

// Call sends one request and waits for its answer. errLost: the connection ended first.
func (l *Conn) Call(ctx context.Context, method string, in Content) (Content, error) {
	id, answer := l.begin()
	if answer == nil {
		return Content{}, errUnsent
	}
	defer l.forget(id)
	frame, err := requestFrame(ctx, Request{ID: id, Method: method, Raw: true, Attachment: in.Attached()})
	if err != nil {
		return Content{}, err
	}
	if err := l.send(ctx, frame); err != nil {
		return Content{}, err
	}
	select {
	case r := <-answer:
		return r.Result()
	case <-l.gone:
		select {
		case r := <-answer: // it came before the end
			return r.Result()
		default:
			return Content{}, errLost
		}
	case <-ctx.Done():
		l.cancel(id)
		return Content{}, lateOwner(ctx, l.pid)
	}
}

// begin returns a new id and the channel for its answer; nil when the connection has ended.
func (l *Conn) begin() (uint64, chan Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		return 0, nil
	}
	l.last++
	answer := make(chan Response, 1)
	l.waiting[l.last] = answer
	return l.last, answer
}

// forget removes a call that has returned.
func (l *Conn) forget(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
}

// send writes a frame, once earlier writes have ended.
func (l *Conn) send(ctx context.Context, frame []byte) error {
	select {
	case l.writing <- struct{}{}:
		defer func() { <-l.writing }()
	case <-l.gone:
		return errUnsent
	case <-ctx.Done():
		return lateOwner(ctx, l.pid)
	}
	deadline, _ := ctx.Deadline()
	_ = l.conn.SetWriteDeadline(deadline) // fails only on a connection that has ended
	_, err := l.conn.Write(frame)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		_ = l.conn.Close() // a partial frame cannot be completed
		return lateOwner(ctx, l.pid)
	default:
		// The other side has closed the connection, and has at most a part of the frame. The reader sees that too, after
		// the owner's last responses, which closing here would discard.
		select {
		case <-l.gone:
			return errUnsent
		case <-ctx.Done():
			return lateOwner(ctx, l.pid)
		}
	}
}

// cancelWait bounds the sending of a cancellation. If it is not sent, the call ends at its own deadline.
const cancelWait = 50 * time.Millisecond

// cancel tells the owner to cancel a call.
func (l *Conn) cancel(id uint64) {
	ctx, done := context.WithTimeout(context.Background(), cancelWait)
	defer done()
	if frame, err := requestFrame(ctx, Request{ID: id, Cancel: true}); err == nil {
		_ = l.send(ctx, frame) // best effort
	}
}

// requestFrame returns a request as a frame, with the time left until ctx's deadline.
func requestFrame(ctx context.Context, r Request) ([]byte, error) {
	if deadline, ok := ctx.Deadline(); ok {
		r.Deadline = max(1, time.Until(deadline).Milliseconds())
	}
	return Message(r, r.Attachment)
}

// late is the error of a call whose context has ended.
func late(ctx context.Context) *fault.Error {
	return &fault.Error{
		Code: fault.Unavailable, Op: "daemon.call",
		Message: "no answer from the ledger's owner in time", Err: ctx.Err(),
	}
}

// lateOwner is late for a known owner. One that does not answer in time is busy or hangs; only an observer
// of the process can tell.
func lateOwner(ctx context.Context, pid int) error {
	err := late(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err.Message = fmt.Sprintf("the daemon with pid %d has not answered in time", pid)
		_ = err.WithHint(hintStuck, pid)
	}
	return err
}

// hintStuck is the hint for a daemon that does not answer.
const hintStuck = "try again; if it hangs, kill it with: kill -9 %d (acknowledged data is safe)"
