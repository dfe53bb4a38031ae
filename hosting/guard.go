package hosting

import (
	"context"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// caller is who asks: whose token a request bears.
type caller struct {
	access.Token
	request string      // the id of the request
	bytes   int64       // of its body, at most
	valid   func() bool // whether the token still is
}

type callerKey struct{}

// callerOf returns who asks.
func callerOf(ctx context.Context) (caller, bool) {
	c, ok := ctx.Value(callerKey{}).(caller)
	return c, ok
}

// maxPath is how much of a path the log has, in bytes.
const maxPath = 100

// refusal is why a request is not answered.
type refusal struct {
	status int
	reason string // a word, for figures and the log
	say    string // for the caller
}

// guard answers a request, or refuses it before anything of its body is read.
func (s *Server) guard(w http.ResponseWriter, r *http.Request) {
	id := s.c.Env.ID(8)
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == healthPath {
		_, _ = w.Write([]byte("ok\n")) // who does not take it has left
		return
	}
	if no := s.place(r); no != nil {
		s.refuse(w, r, caller{request: id}, *no)
		return
	}
	secret := bearer(r.Header)
	token, known := s.c.Store.Find(secret)
	if !known {
		w.Header().Set("WWW-Authenticate", "Bearer")
		who := caller{Token: access.Token{ID: token.ID}, request: id} // of one that was valid
		s.refuse(w, r, who, refusal{http.StatusUnauthorized, "token", "a valid bearer token is needed"})
		return
	}
	bytes := r.ContentLength
	if bytes < 0 {
		bytes = limits.MCPMessage // one of unknown length counts as the longest
	}
	who := caller{token, id, bytes, func() bool {
		_, still := s.c.Store.Find(secret)
		return still
	}}
	no, leave := s.gate.enter(token, bytes, s.c.Env.Now())
	switch {
	case r.Header.Get("Content-Encoding") != "":
		no = &refusal{http.StatusUnsupportedMediaType, "encoding",
			"a body must be sent as is, without Content-Encoding"}
	case bytes > limits.MCPMessage:
		no = &refusal{http.StatusRequestEntityTooLarge, "size", "a body has at most " + strconv.Itoa(
			limits.MCPMessage>>20) + " MiB"}
	case no != nil:
		w.Header().Set("Retry-After", "1")
	default:
		no = s.route(r, token)
	}
	defer leave()
	if no != nil {
		s.refuse(w, r, who, *no)
		return
	}
	s.serve(w, r, who)
}

// place refuses what does not come to this server by one of its names, or comes from a page of another one: a browser lets
// any page send requests, and rebind its own name to this machine.
func (s *Server) place(r *http.Request) *refusal {
	if !s.isOurs(r.Host) {
		return &refusal{http.StatusForbidden, "host", "this server does not go by that name: start it with --host NAME"}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !s.isOurs(u.Host) {
			return &refusal{http.StatusForbidden, "origin", "requests from pages on other servers are refused"}
		}
	}
	return nil
}

// isOurs reports whether a host, with or without port, is one of the server's names.
func (s *Server) isOurs(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	same := func(ours string) bool { return name == strings.ToLower(ours) }
	return slices.ContainsFunc(s.c.Hosts, same) || isLoopback(name)
}

func isLoopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// bearer returns the token that a request presents, "" for none or several.
func bearer(h http.Header) string {
	all := h.Values("Authorization")
	if len(all) != 1 {
		return ""
	}
	scheme, secret, _ := strings.Cut(all[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return secret
}

// route refuses what a token does not reach.
func (s *Server) route(r *http.Request, t access.Token) *refusal {
	switch {
	case r.URL.Path == readyPath, r.URL.Path == metricsPath && t.Role == access.Metrics:
		return nil
	case r.URL.Path == metricsPath:
		return &refusal{http.StatusForbidden, "role",
			"the token is not valid for this: `ctxledger token add --role metrics` makes one that is"}
	case !t.Role.May(access.Read):
		return &refusal{http.StatusForbidden, "role", "the token is not valid for this: it reads only " + metricsPath}
	}
	return nil
}

// serve has the handlers answer a request whose caller is known.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, who caller) {
	out := &counted{ResponseWriter: w, status: http.StatusOK}
	ctx := context.WithValue(r.Context(), callerKey{}, who)
	r = r.WithContext(ctx)
	handler, route := s.mux.Handler(r)
	began := s.c.Env.Now()
	s.metrics.working.Inc()
	defer func() {
		if p := recover(); p != nil {
			s.c.Log.Error("panic", "request", who.request, "detail", p, "stack", string(debug.Stack()))
			deny(out, http.StatusInternalServerError, "internal: incident "+who.request)
		}
		s.metrics.working.Dec()
		took := s.c.Env.Now().Sub(began).Seconds()
		s.metrics.requests.WithLabelValues(route, strconv.Itoa(out.status)).Inc()
		s.metrics.seconds.WithLabelValues(route).Observe(took)
		s.c.Log.Info("request", append(who.attrs(), "route", route, "status", out.status,
			"ms", math.Round(took*1e6)/1e3, "bytes", out.bytes)...)
	}()
	if route == "" { // there is no such path, or it does not take the method
		none := &silent{out, 0}
		if handler.ServeHTTP(none, r); codes[none.status] != "" {
			deny(out, none.status, strings.ToLower(http.StatusText(none.status)))
			return
		}
	}
	s.mux.ServeHTTP(out, r)
}

// attrs are what the log says of a caller: by is the id of its token.
func (c caller) attrs() []any {
	return []any{"request", c.request, "by", c.ID, "workspace", c.Workspace} // what is named a token is masked
}

// refuse answers a request that is refused, and leaves a line.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, who caller, no refusal) {
	path := r.URL.Path
	s.audit(who, no.reason, "from", r.RemoteAddr, "method", r.Method, "path", path[:min(len(path), maxPath)],
		"status", no.status)
	s.metrics.requests.WithLabelValues("refused", strconv.Itoa(no.status)).Inc()
	deny(w, no.status, no.say)
}

// codes are those of the errors that the server itself answers with.
var codes = map[int]fault.Code{
	http.StatusUnauthorized: fault.Denied, http.StatusForbidden: fault.Denied, http.StatusNotFound: fault.NotFound,
	http.StatusMethodNotAllowed: fault.Invalid, http.StatusUnsupportedMediaType: fault.Invalid,
	http.StatusRequestEntityTooLarge: fault.TooLarge, http.StatusTooManyRequests: fault.Limited,
	http.StatusServiceUnavailable: fault.Unavailable, http.StatusInternalServerError: fault.Internal,
}

// deny answers with an error as the API has it.
func deny(w http.ResponseWriter, status int, say string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": codes[status], "message": say}})
}

// silent is a ResponseWriter that keeps the status alone.
type silent struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *silent) WriteHeader(status int) { s.status = status }

// Write implements http.ResponseWriter.
func (s *silent) Write(p []byte) (int, error) { return len(p), nil }

// audit leaves a line about a refusal.
func (s *Server) audit(who caller, reason string, more ...any) {
	s.metrics.refusals.WithLabelValues(reason).Inc()
	s.c.Log.Warn("refused", append(append(who.attrs(), "reason", reason), more...)...)
}

// Permit decides whether the caller of a context may run an operation, which writes to the workspace or only reads it. Errors:
// denied for its role; full when the workspace has no room for more.
func (s *Server) Permit(ctx context.Context, operation string, needed access.Role) error {
	const op = "hosting.permit"
	who, ok := callerOf(ctx)
	switch {
	case !ok || !who.Role.May(needed):
		s.audit(who, "role", "operation", operation)
		return fault.New(fault.Denied, op, "a token with the role %s may not do this: %s needs %s", who.Role,
			operation, needed)
	case needed != access.Write: // forgetting makes room
		return nil
	}
	size, fits, err := s.workspaces.reserve(ctx, who.Workspace, who.bytes, int64(who.StorageMB)<<20)
	if err != nil {
		return err
	}
	if !fits {
		s.audit(who, "storage", "operation", operation, "bytes", size)
		return fault.New(fault.Full, op, "the workspace has %d MB, but the token's limit is %d MB", size>>20,
			who.StorageMB).
			WithHint("whoever runs the server can make a token with more storage")
	}
	return nil
}

// counted is a ResponseWriter that knows what was written.
type counted struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap lets http.ResponseController find what the writer can do.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// deadline bounds how long a request may take.
func deadline(next http.Handler, d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), d)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
