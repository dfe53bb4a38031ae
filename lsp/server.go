package lsp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/tokens"
)

// Options are what a server is made with.
type Options struct {
	Version string
	Env     env.Env
	// Find returns the workspace of a client that has these folders open, file URIs in its order. An error is
	// told, and the server goes on without a workspace. nil: there is never one.
	Find func(roots []string) (Workspace, error)
	Log  *slog.Logger // gets what an editor does wrong, and defects of ours
	Idle func()       // called when the client has sent nothing for some seconds; may be nil
}

// Server is a language server for one client.
type Server struct {
	o         Options
	methods   map[string]method
	documents documents
	inFlight  inFlight
	masks     *redact.Redactor // of error messages; its key is this process's
	exited    chan struct{}    // closed by exit
	exit      func()
	orphaned  chan struct{} // closed when the process of the client has ended
	touched   chan struct{} // holds one: the client sent something

	pending *pending
	reading reading
	tasks   *tasks // what goes on beside answering

	mu    sync.Mutex
	stage stage    // guarded by mu
	now   snapshot // guarded by mu
	// followed is how the live session is followed, unfollow ends that; nil: it is not followed. Both guarded by mu.
	followed following
	unfollow context.CancelFunc

	// What initialize and initialized set, before anything else is taken in.
	caps      capabilities
	initial   Settings
	given     bool // the client sent settings
	begun     bool // the client listens
	workspace Workspace
	lost      error // why there is no place

	// What Serve sets before it reads.
	life   context.Context //nolint:containedctx // of what outlives the message that asked for it
	conn   jsonrpc2.Conn
	client protocol.Client
}

// New returns a server.
func New(o Options) *Server {
	exited := make(chan struct{})
	return &Server{
		o: o, methods: methods(), masks: redact.New([]byte(o.Env.ID(32))), now: snapshot{settings: defaults(), models: tokens.Builtin()}.measured(),
		pending: newPending(), tasks: newTasks(),
		exited: exited, exit: sync.OnceFunc(func() { close(exited) }), orphaned: make(chan struct{}), touched: make(chan struct{}, 1),
	}
}

// Serve answers a client on in and out until it says exit, in ends, its process or ctx does. The answers under way are
// given up then. A process may call it once, and should end when it returns, because nothing can interrupt
// a reader of standard input, or a writer to a client that does not read.
//
// Errors: those of reading and writing; invalid when the client exits without having said shutdown.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancel(ctx)
	defer s.tasks.wait()
	defer end()
	s.life = life
	s.conn = jsonrpc2.NewConn(newStream(in, out, s.o.Log, end, s.sanitize), jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(s.conn)
	s.tasks.begin(func() { s.snapshot().meter.Counter.Encoding().CountString("a") }) // it reads its vocabulary now, not for the first answer
	if s.o.Idle != nil {
		s.tasks.begin(s.watchIdle)
	}
	s.conn.Go(life, s.handle)
	select {
	case <-s.exited:
		if s.at() != stopped {
			return fault.New(fault.Invalid, "lsp.serve", "the editor left without shutting down")
		}
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fault.Wrap(fault.Unavailable, "lsp.serve", err)
		}
	case <-s.orphaned:
	case <-ctx.Done():
	}
	return nil
}

// stage is how far a client has come.
type stage int

const (
	starting stage = iota // not initialized
	running
	stopped // shut down
)

func (s *Server) at() stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stage
}

// enter changes the stage, if it is the one before. It reports whether it was.
func (s *Server) enter(from, to stage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok := s.stage == from
	if ok {
		s.stage = to
	}
	return ok
}
