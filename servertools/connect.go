package servertools

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/termtext"
	"ctxledger.dev/trust"
)

const (
	grace     = time.Second     // for a program to end when its input does
	killDelay = 2 * time.Second // for the pipes of killed programs to close
)

// connection is a server that runs, or is reached.
type connection struct {
	transport transport.Interface
	budget    *budget
	close     func()        // ends the server, and returns when it has ended
	said      func() string // the end of what it said on standard error, once it has ended
}

// connect starts what was approved, or prepares to connect to it.
func connect(ctx context.Context, approved trust.ApprovedServer) (*connection, error) {
	if approved.Ask().Program == nil {
		return reach(approved)
	}
	return start(ctx, approved)
}

// start starts a program. Its process group is killed when ctx ends, and when the connection is closed. The program is
// waited for only after that, so that no other group can have the number by then.
func start(ctx context.Context, approved trust.ApprovedServer) (*connection, error) {
	x, err := approved.Program()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	complaint := termtext.NewTail(termtext.ErrorTail)
	cmd := exec.CommandContext(ctx, x.Path, x.Args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = x.Dir, x.Env, complaint, killDelay
	process.Group(cmd)
	in, err := cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	b := newBudget()
	from := b.reader(out)
	c := &connection{transport: transport.NewIO(from, deaf{in}, nil), budget: b}
	c.said = func() string { return string(complaint.AppendTo(nil)) }
	c.close = sync.OnceFunc(func() {
		_ = in.Close()
		wait := time.NewTimer(grace)
		defer wait.Stop()
		select {
		case <-from.ended:
		case <-wait.C:
		}
		_ = cmd.Cancel() // all of the group, also where the program itself has ended
		_ = cmd.Wait()   // its status says less than its answer
		stop()
		_ = c.transport.Close()
	})
	return c, nil
}

// deaf is a program's input, of which it does not matter whether it can still be written: its output ends, too.
type deaf struct{ io.WriteCloser }

// Write never fails.
func (d deaf) Write(p []byte) (int, error) {
	_, _ = d.WriteCloser.Write(p)
	return len(p), nil
}

// reach prepares to connect to an address. Redirects are not followed.
func reach(approved trust.ApprovedServer) (*connection, error) {
	r, err := approved.Remote()
	if err != nil {
		return nil, err
	}
	b := newBudget()
	wire := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
		TLSHandshakeTimeout: maxTime}
	sender := &http.Client{
		Transport:     bounded{wire, b},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	quiet := slog.New(slog.DiscardHandler)
	c := &connection{budget: b, said: func() string { return "" }}
	if r.SSE {
		c.transport, err = transport.NewSSE(r.URL, transport.WithHTTPClient(sender), transport.WithHeaders(r.Headers),
			transport.WithSSELogger(quiet))
	} else {
		c.transport, err = transport.NewStreamableHTTP(r.URL, transport.WithHTTPBasicClient(sender),
			transport.WithHTTPHeaders(r.Headers), transport.WithHTTPLogger(quiet))
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, "the server's address cannot be used")
	}
	c.close = sync.OnceFunc(func() {
		_ = c.transport.Close()
		wire.CloseIdleConnections()
	})
	return c, nil
}

// bounded bounds the bytes of all answers together.
type bounded struct {
	http.RoundTripper
	budget *budget
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = body{b.budget.reader(resp.Body), resp.Body}
	}
	return resp, err
}

// body is the body of an answer, bounded.
type body struct {
	io.Reader
	io.Closer
}

// budget is how many bytes a server may still write.
type budget struct{ left atomic.Int64 }

func newBudget() *budget {
	b := &budget{}
	b.left.Store(maxBytes)
	return b
}

// spent reports whether the server wrote too much.
func (b *budget) spent() bool { return b.left.Load() < 0 }

// reader returns a reader of r that ends when the budget is spent, or at an error.
func (b *budget) reader(r io.Reader) *reader {
	return &reader{from: r, budget: b, ended: make(chan struct{})}
}

// reader is one source of what a server writes.
type reader struct {
	from   io.Reader
	budget *budget
	once   sync.Once
	ended  chan struct{}
}

// Read implements io.Reader. Its only error is io.EOF.
func (r *reader) Read(p []byte) (int, error) {
	if !r.budget.spent() {
		n, err := r.from.Read(p)
		if r.budget.left.Add(-int64(n)) >= 0 && (err == nil || n > 0) {
			return n, nil
		}
	}
	r.once.Do(func() { close(r.ended) })
	return 0, io.EOF
}
