package proxy

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
)

// Config says what a proxy does.
type Config struct {
	Env   env.Env
	Token string // the first segment of every path; whoever has it can use the proxy
	// Upstreams are the addresses of the providers by the second segment of the path.
	Upstreams map[string]*url.URL
	Ledger    Opener // where exchanges are recorded
	Dir       string // where the agent runs
	// Ask names the upstreams, by the second segment of the path, that a person allows to be asked for the context that they have
	// loaded.
	Ask map[string]bool
	// Limited reports whether any limit is configured: then the ledger is asked before a request passes. nil: none ever is.
	Limited func() bool
	// Say gets a line for a person: what could not be reached or recorded.
	Say func(text string)
	// Reduce makes requests smaller.
	Reduce bool
	// Patience is how long a request waits for a decision about it; 0: 10 ms.
	Patience time.Duration
}

// Server passes requests on to providers of models, and records them. It is an http.Handler, safe for concurrent use.
type Server struct {
	config   Config
	upstream map[string]*httputil.ReverseProxy
	hosts    map[string]bool // by which it may be called
	store    *store
	recorder *recorder
	reducer  *reducer // nil: bodies pass as they are
}

// idle is how long a connection to a provider is kept for the next request: shorter than providers do, so that none is
// used which they are about to close.
const idle = 30 * time.Second

// New returns a proxy that is called at an address, "127.0.0.1:8080". Close ends it.
func New(c Config, address string) *Server {
	s := &Server{config: c, upstream: map[string]*httputil.ReverseProxy{}, hosts: map[string]bool{address: true},
		store: newStore(c.Env.Now)}
	if _, port, err := net.SplitHostPort(address); err == nil {
		s.hosts["localhost:"+port] = true
	}
	if c.Reduce {
		s.reducer = newReducer(c)
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableCompression: true,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
		MaxIdleConns: 256, MaxIdleConnsPerHost: 64, IdleConnTimeout: idle,
	}
	s.recorder = newRecorder(c, transport)
	pool := &buffers{sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}}
	var through http.RoundTripper = transport
	if s.reducer != nil {
		through = recovering{transport, s.reducer}
	}
	for name, base := range c.Upstreams {
		s.upstream[name] = &httputil.ReverseProxy{
			Transport: through, FlushInterval: -1, BufferPool: pool, ErrorLog: log.New(nowhere{}, "", 0),
			Rewrite:        func(r *httputil.ProxyRequest) { rewrite(r, base) },
			ModifyResponse: answered,
			ErrorHandler:   s.failed,
		}
	}
	return s
}

// Close waits until what has passed is recorded, at most for a few seconds.
func (s *Server) Close() {
	if s.reducer != nil {
		s.reducer.close()
	}
	s.recorder.close()
}

// nowhere takes what the library logs: it can quote addresses.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// buffers lends the memory for copying bodies.
type buffers struct{ sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte { return *b.Pool.Get().(*[]byte) }

// Put implements httputil.BufferPool.
func (b *buffers) Put(p []byte) { b.Pool.Put(&p) }

// key is the context's key of the exchange of a request.
type key struct{}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, provider := s.admit(w, r)
	if provider == "" {
		return
	}
	r = withPath(r, rest)
	if d := dialectOf(r.URL.Path); d != nil && r.Method == http.MethodPost && r.Body != nil {
		to := chars.Cut(s.config.Upstreams[provider].String(), maxName)
		x := &exchange{dialect: d, provider: provider, upstream: to, path: r.URL.Path, header: r.Header,
			at: s.config.Env.Now()}
		if s.stopped(w, r, x) {
			return
		}
		s.edit(r, x)
		r = r.WithContext(context.WithValue(r.Context(), key{}, x))
		defer s.recorder.take(x)
		if s.reducer != nil {
			defer s.reducer.ended(x)
		}
	}
	s.upstream[provider].ServeHTTP(w, r)
}

// admit returns the path behind token and provider, and the provider; "": the request was refused, and answered.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) (rest, provider string) {
	token, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	name, rest, _ := strings.Cut(path, "/")
	switch {
	case !s.hosts[r.Host]:
		refuse(w, http.StatusForbidden, "it was called by a name other than its address")
	case r.Header.Get("Origin") != "":
		refuse(w, http.StatusForbidden, "it does not accept requests from web pages")
	case subtle.ConstantTimeCompare([]byte(token), []byte(s.config.Token)) != 1:
		refuse(w, http.StatusForbidden, "the path has to begin with the token of this proxy: start the agent again with "+
			"`ctxledger with`, or use the address that `ctxledger proxy` printed")
	case s.upstream[name] == nil:
		refuse(w, http.StatusNotFound, "the path has to name a provider after the token: "+
			strings.Join(slices.Sorted(maps.Keys(s.upstream)), ", "))
	case r.Header.Get("Upgrade") != "" || r.Method == http.MethodConnect:
		// 426 is what makes agents go on with plain requests.
		refuse(w, http.StatusUpgradeRequired, "it accepts plain requests only, not WebSockets")
	default:
		return "/" + rest, name
	}
	return "", ""
}

// refuse answers a request that is not passed on, in the form that all providers share.
func refuse(w http.ResponseWriter, status int, why string) {
	text := "ctxledger proxy: " + why
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", // the agent may have gone: its loss
		"error": map[string]any{"type": "ctxledger_proxy", "message": text, "code": status}})
}

// withPath returns a request for an escaped path.
func withPath(r *http.Request, escaped string) *http.Request {
	u := *r.URL
	u.RawPath = escaped
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path = plain
	}
	out := r.WithContext(r.Context()) // a copy
	out.URL = &u
	return out
}

// rewrite addresses a request to the provider. The query stays as it is written.
func rewrite(r *httputil.ProxyRequest, base *url.URL) {
	u := *base
	u.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + r.In.URL.EscapedPath()
	u.Path = strings.TrimSuffix(base.Path, "/") + r.In.URL.Path
	u.RawQuery = r.In.URL.RawQuery
	r.Out.URL, r.Out.Host = &u, ""
	if exchangeOf(r.In) == nil {
		return
	}
	if accepts := r.Out.Header.Values("Accept-Encoding"); len(accepts) > 0 { // else the answer could not be read
		r.Out.Header.Set("Accept-Encoding", "identity")
		if strings.Contains(strings.Join(accepts, ","), "gzip") {
			r.Out.Header.Set("Accept-Encoding", "gzip")
		}
	}
}

// answered has the answer to a recorded request copied.
func answered(resp *http.Response) error {
	if x := exchangeOf(resp.Request); x != nil {
		x.status, x.encoding = resp.StatusCode, resp.Header.Get("Content-Encoding")
		x.response = &capture{ReadCloser: resp.Body, store: x.request.store}
		resp.Body = x.response
	}
	return nil
}

// failed answers a request whose provider could not be reached.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the agent has gone
	}
	text := "the provider cannot be reached: " + reason(err)
	s.config.Say(text)
	refuse(w, http.StatusBadGateway, text)
}

// reason says why a provider could not be reached, without its address, which can have credentials.
func reason(err error) string {
	for inner, ok := err.(*url.Error); ok; inner, ok = err.(*url.Error) {
		err = inner.Err
	}
	return err.Error()
}
