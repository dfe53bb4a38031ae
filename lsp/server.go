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
	"ctxledger.dev/report"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// Options configure a server.
type Options struct {
	Version string
	Env     env.Env
	// Find returns the workspace of an open folder of the client, a file URI; no roots: nothing is open. After an error,
	// which is reported, the folder has no workspace. nil: there never is one.
	Find func(roots []string) (Workspace, error)
	Log  *slog.Logger // protocol errors of the editor, and internal errors
	Idle func()       // called when the client has been idle for some seconds; may be nil
	Rest func()       // called when there is a moment's rest after the client was told of changes; may be nil
	// AskServer asks an MCP server for its tools, which a person has approved. Errors: those of asking.Ask.
	AskServer func(context.Context, trust.ApprovedServer) (asking.Answer, error)
	// Audit measures the sessions of all agents of the user, at the prices of a registry. It reports how many bytes there are
	// to read, and have been read. nil: there are none.
	Audit func(ctx context.Context, m *tokens.Registry, expect, advance func(int64)) (report.Report, error)
}

// Server is a language server for one client.
type Server struct {
	o         Options
	methods   map[string]method
	documents documents
	inFlight  inFlight
	masks     *redact.Redactor // error messages; the key is random per process
	exited    chan struct{}    // closed by exit
	exit      func()
	orphaned  chan struct{} // closed when the client's process has ended
	touched   chan struct{} // buffered, one slot: the client sent something

	pending *pending
	reading reading
	tasks   tasks // background tasks

	mu        sync.Mutex
	stage     stage     // guarded by mu
	folders   []*folder // guarded by mu; a new list each time
	terminals terminals // guarded by mu

	// Set by initialize and initialized, before any other message is processed, and by messages in their order.
	caps    capabilities
	initial Settings
	given   bool     // the client sent settings
	begun   bool     // initialized was received
	roots   []string // of the client's folders, in its order; only what arranges the folders reads it

	// Set by Serve before it reads.
	life   context.Context // for work that outlives the message that started it
	conn   jsonrpc2.Conn
	client protocol.Client
}

// New returns a server.
func New(o Options) *Server {
	exited := make(chan struct{})
	s := &Server{
		o: o, methods: methods(), masks: redact.New([]byte(o.Env.ID(32))),
		pending: newPending(),
		exited:  exited, exit: sync.OnceFunc(func() { close(exited) }),
		orphaned: make(chan struct{}), touched: make(chan struct{}, 1),
	}
	s.folders = []*folder{s.newFolder(context.Background(), nowhere(), nil, snapshot{settings: defaults()})}
	return s
}

// Serve answers a client on in and out until the client exits, its process ends, in ends or ctx is cancelled. Requests in
// flight are abandoned then. A process may call Serve once and should end when it returns, because a blocked read of
// standard input or write to the client cannot be interrupted.
//
// Errors: those of reading and writing; invalid when the client exits without shutdown.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancel(ctx)
	defer s.tasks.wait()
	defer end()
	s.life = life
	s.conn = jsonrpc2.NewConn(newStream(in, out, s.o.Log, end, s.sanitize), jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(s.conn)
	s.tasks.begin(func() { s.snapshot().meter.Counter.Encoding().CountString("a") }) // loads the vocabulary in advance
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

// stage is the state of the protocol.
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

// enter moves from one stage to another. It reports whether the stage was from.
func (s *Server) enter(from, to stage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok := s.stage == from
	if ok {
		s.stage = to
	}
	return ok
}
