package hosting

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// MCPPath is where MCP is spoken.
const MCPPath = "/mcp"

// Paths that are the server's own.
const (
	healthPath  = "/healthz"
	readyPath   = "/readyz"
	metricsPath = "/metrics"
)

const (
	headerWait      = 10 * time.Second // for the headers of a request
	readWait        = 30 * time.Second // for all of it
	writeWait       = 90 * time.Second // for an answer to be made and taken; of a stream, for each part
	keepWait        = 2 * time.Minute  // for the next request of a connection
	callWait        = 60 * time.Second // for an answer
	leaveWait       = 10 * time.Second // for answers that are under way when the server ends
	sweepEvery      = time.Minute
	watchEvery      = time.Second // how often the token of a stream is looked at
	maxHeaders      = 32 << 10    // bytes
	mostConnections = 8192
)

// Config says what a server hosts, and for whom.
type Config struct {
	Env   env.Env
	Log   *slog.Logger // gets a line for each request, and for each refusal
	Store *access.Store
	Open  Opener
	Hosts []string // its names besides those of this machine
	// Cert and Key are the files of a TLS certificate; "": connections are not encrypted.
	Cert, Key string
}

// Server answers the bearers of tokens. It is made by New.
type Server struct {
	c          Config
	mux        *http.ServeMux
	gate       gate
	workspaces workspaces
	metrics    *metrics
	leaving    chan struct{} // closed when the server ends
	conns      atomic.Int64
}

// New returns a server that answers nothing but its own paths until Handle adds others.
func New(c Config) *Server {
	s := &Server{c: c, mux: http.NewServeMux(), gate: gate{tokens: map[string]*load{}},
		leaving: make(chan struct{})}
	s.workspaces = workspaces{open: c.Open, state: c.Store.State, now: c.Env.Now, most: mostOpen,
		all: map[string]*opened{}, shut: map[string]struct{}{}, streams: map[string]map[*stream]struct{}{}}
	s.metrics = newMetrics(s.workspaces.count)
	s.mux.HandleFunc("GET "+readyPath, s.ready)
	figures := promhttp.HandlerOpts{MaxRequestsInFlight: 2}
	s.mux.Handle("GET "+metricsPath, promhttp.HandlerFor(s.metrics.registry, figures))
	return s
}

// Handle adds what answers a path, within the deadline of a call.
func (s *Server) Handle(pattern string, h http.Handler) { s.mux.Handle(pattern, deadline(h, callWait)) }

// Stream is Handle for what answers as long as the caller listens: until its token is not valid any more, its workspace is
// removed or the server ends.
func (s *Server) Stream(pattern string, h http.HandlerFunc) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		who, _ := callerOf(r.Context())
		ctx, cancel := context.WithCancel(r.Context())
		defer s.workspaces.listen(who.Workspace, cancel)()
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		work.Go(func() {
			defer cancel()
			s.watch(ctx, who)
		})
		h(w, r.WithContext(ctx))
	})
}

// watch waits until a stream has to end.
func (s *Server) watch(ctx context.Context, who caller) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.leaving:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			if !who.valid() {
				s.audit(who, "token", "operation", "stream")
				return
			}
		}
	}
}

// Ledger returns the ledger that the caller of a context may use, until it is closed. Errors: denied without a caller; those
// of opening it.
func (s *Server) Ledger(ctx context.Context) (ledger.API, error) {
	who, ok := callerOf(ctx)
	if !ok || who.Workspace == "" {
		return nil, fault.New(fault.Denied, "hosting.ledger", "the request does not belong to a workspace")
	}
	return s.workspaces.lease(ctx, who.Workspace)
}

// ready says whether requests are answered.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	select {
	case <-s.leaving:
		deny(w, http.StatusServiceUnavailable, "leaving")
	default:
		_, _ = io.WriteString(w, "ready\n") // who does not take it has left
	}
}

// Serve answers requests until ctx ends, and then those under way. listen is an address of this machine, of which the port may
// be 0; ready gets the one in use. Beyond this machine the server needs a name, by which its requests come.
//
// Errors: invalid for an address or a certificate that is none; unavailable for an address that is taken.
func (s *Server) Serve(ctx context.Context, listen string, ready func(address string)) error {
	const op = "hosting.listen"
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return fault.New(fault.Invalid, op, "%.80q is not an address", listen).WithHint("as in 127.0.0.1:7801")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !isLoopback(host) && len(s.c.Hosts) == 0 {
		return fault.New(fault.Invalid, op, "%.80q can be reached from other machines, but the server has no name", listen).
			WithHint("give the name that clients use for it: --host NAME")
	}
	served := &http.Server{
		Handler: http.HandlerFunc(s.guard), ReadHeaderTimeout: headerWait, ReadTimeout: readWait,
		WriteTimeout: writeWait, IdleTimeout: keepWait,
		MaxHeaderBytes: maxHeaders, ErrorLog: log.New(io.Discard, "", 0), ConnState: s.count,
	}
	if s.c.Cert != "" {
		cert := &certificate{files: [2]string{s.c.Cert, s.c.Key}, now: s.c.Env.Now}
		if _, err := cert.get(nil); err != nil {
			return fault.New(fault.Invalid, op, "the certificate cannot be used: %s", err)
		}
		served.TLSConfig = &tls.Config{GetCertificate: cert.get, MinVersion: tls.VersionTLS12}
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		if e, ok := errors.AsType[*net.OpError](err); ok {
			err = e.Err // the message names the address
		}
		return fault.New(fault.Unavailable, op, "cannot listen on %s: %s", net.JoinHostPort(host, port), err).
			WithHint("port 0 takes one that is free")
	}
	ended := make(chan error, 1)
	go func() {
		if served.TLSConfig != nil {
			ended <- served.ServeTLS(l, "", "")
			return
		}
		ended <- served.Serve(l)
	}()
	ready(l.Addr().String())
	return errors.Join(s.until(ctx, served, ended), s.workspaces.close())
}

// until waits for the end of ctx, or of the server, and leaves.
func (s *Server) until(ctx context.Context, served *http.Server, ended <-chan error) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return fault.Wrap(fault.Unavailable, "hosting.serve", err)
		case <-tick.C:
			s.workspaces.sweep()
			continue
		case <-ctx.Done():
		}
		break
	}
	close(s.leaving)
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWait)
	defer cancel()
	if served.Shutdown(soon) != nil {
		_ = served.Close() // what is under way is cut off
	}
	<-ended
	return nil
}

// count closes connections beyond the limit.
func (s *Server) count(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if s.conns.Add(1) > mostConnections {
			_ = c.Close() // that is all that it is told
		}
	case http.StateClosed, http.StateHijacked:
		s.conns.Add(-1)
	}
}
