package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// maxRequest is the largest request body read, in bytes: the real service's limit.
const maxRequest = 32 << 20

// Server is a model that follows a script. Each session plays it from the start; requests without
// a session id share one. It is safe for concurrent use.
type Server struct {
	// Subagents is what each subagent of a session does, from the start. When it is used up, the subagent has nothing to
	// add. It is set before Start.
	Subagents Script
	// SubagentsBy are the scripts of subagents whose requests contain a text, such as a number in their prompts; all others
	// play Subagents. It is set before Start.
	SubagentsBy map[string]Script
	// Count returns the tokens of a request, and of an answer as the only message of one, for its usage; nil: a quarter of
	// its bytes. It is set before Start.
	Count func(body []byte) int

	script Script
	vars   Vars

	mu       sync.Mutex
	sessions map[string]*session // guarded by mu
	log      []Exchange          // guarded by mu
}

// session is how far one conversation has come.
type session struct {
	next   int // the step to make next
	asides int // side requests answered, which number their ids downwards
	cached int // tokens of the previous request of the main conversation
}

// Exchange is one request for a message as the server saw it.
type Exchange struct {
	Session string          // the agent's session id, or ""; "/" and the id of a subagent follow
	Step    int             // the number of the step that answered it; -1 for a side request or an error
	Body    json.RawMessage // the request body, unchanged
	Results []string        // the results of the step before, as the model reads them
	Err     error           // why it could not be answered, or nil
}

// New returns a server for script, whose placeholders are replaced by vars (nil for none).
func New(script Script, vars Vars) *Server {
	return &Server{script: script, vars: vars, sessions: map[string]*session{}}
}

// Start serves on a loopback address until the test ends, and returns the address ("http://127.0.0.1:port"). A request
// that the script cannot answer fails the test.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	listener := httptest.NewServer(s)
	t.Cleanup(func() {
		listener.Close()
		for _, x := range s.Log() {
			if x.Err != nil {
				t.Errorf("scripted model: %v", x.Err)
			}
		}
	})
	return listener.URL
}

// Serve serves on a loopback address until stop is called, and returns the address. It is Start for programs: what the
// script cannot answer is in the log alone.
func (s *Server) Serve() (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	served := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = served.Serve(listener) // ends with ErrServerClosed
	}()
	return "http://" + listener.Addr().String(), func() { _ = served.Close(); <-done }, nil
}

// Log returns the requests for messages so far, in the order in which they were answered.
func (s *Server) Log() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Exchange(nil), s.log...)
}

// ServeHTTP routes on the path alone; agents add queries such as ?beta=true.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch path := req.URL.Path; {
	case req.Method == http.MethodPost && (strings.HasSuffix(path, "/messages/count_tokens") ||
		strings.HasSuffix(path, ":countTokens")):
		s.countTokens(w, req)
	case req.Method == http.MethodPost && dialectOf(path) != nil:
		s.next(w, req, dialectOf(path))
	case req.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		sendJSON(w, http.StatusOK, event{"object": "list", "has_more": false, "data": []event{
			{"id": "scripted", "type": "model", "object": "model", "display_name": "Scripted",
				"created_at": "2026-01-01T00:00:00Z"},
		}})
	default:
		sendError(w, http.StatusNotFound, "not_found_error", fmt.Errorf("no such path: %s %s", req.Method, path))
	}
}

// countTokens answers with the estimate that usage figures use.
func (s *Server) countTokens(w http.ResponseWriter, req *http.Request) {
	body, err := readBody(w, req)
	if err != nil {
		sendError(w, http.StatusRequestEntityTooLarge, "request_too_large", err)
		return
	}
	sendJSON(w, http.StatusOK, event{"input_tokens": len(body) / bytesPerToken,
		"totalTokens": len(body) / bytesPerToken})
}

// next answers with the next step, or aside.
func (s *Server) next(w http.ResponseWriter, req *http.Request, d dialect) {
	body, err := readBody(w, req)
	if err != nil {
		sendError(w, http.StatusRequestEntityTooLarge, "request_too_large", err)
		return
	}
	r, err := d.read(req, body)
	if err != nil {
		sendError(w, http.StatusBadRequest, "invalid_request_error", err)
		return
	}
	answer, err := s.answer(r, body)
	switch {
	case err != nil:
		sendError(w, http.StatusBadRequest, "invalid_request_error", err)
	case r.Stream:
		sendStream(w, d.stream(answer))
	default:
		sendJSON(w, http.StatusOK, d.plain(answer))
	}
}

// answer makes the next step of the request's session and logs the exchange.
func (s *Server) answer(r *request, body []byte) (*reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, script, over := r.Session, s.script, "The script is finished."
	if r.Helper != "" {
		key, script, over = r.Session+"/"+r.Helper, s.Subagents, "The subagent has nothing to add."
		for text, own := range s.SubagentsBy {
			if strings.Contains(string(body), text) {
				script = own
			}
		}
	}
	at := s.sessions[key]
	if at == nil {
		at = &session{}
		s.sessions[key] = at
	}
	if r.Aside != "" {
		at.asides++
		out, err := newReply(r, key, -at.asides, Say(r.Aside), nil)
		if err == nil {
			out.estimate(len(body), 0)
		}
		s.log = append(s.log, Exchange{Session: key, Step: -1, Body: body, Err: err})
		return out, err
	}
	step := Say(over)
	if at.next < len(script) {
		step = script[at.next]
	}
	out, err := newReply(r, key, at.next, step, s.vars)
	if err != nil {
		err = fmt.Errorf("step %d: %w", at.next, err)
		s.log = append(s.log, Exchange{Session: key, Step: -1, Body: body, Err: err})
		return nil, err
	}
	s.log = append(s.log, Exchange{Session: key, Step: at.next, Body: body, Results: r.Results})
	at.cached = out.estimate(s.size(body), at.cached)
	if s.Count != nil {
		said, err := json.Marshal(event{"messages": []event{{"role": "assistant", "content": out.Content}}})
		if err != nil {
			return nil, err
		}
		out.Usage.Output = s.Count(said)
	}
	at.next++
	return out, nil
}

// size returns the bytes of a request that its usage rests on.
func (s *Server) size(body []byte) int {
	if s.Count == nil {
		return len(body)
	}
	return s.Count(body) * bytesPerToken
}

// readBody reads a request body up to maxRequest bytes.
func readBody(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
}

// sendError answers with an error in the dialect's form.
func sendError(w http.ResponseWriter, status int, kind string, err error) {
	sendJSON(w, status, event{"type": "error", "error": event{"type": kind, "message": err.Error()}})
}

// sendJSON answers with v.
func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the agent may have gone: its loss
}
