package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

const (
	// progressEvery is how often a client that asked for progress hears that its request is at work: proxies between end
	// connections that are silent for a minute.
	progressEvery = 10 * time.Second
	// patience is how long a client may take to send its message, and to take a part of the answer.
	patience = 30 * time.Second

	// maxReserved is how much memory is reserved for a body because the client says that it is so long, in bytes.
	maxReserved = 64 << 10

	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// ServeHTTP answers one message as the transport Streamable HTTP has it, in every revision of the protocol. Nothing is known
// of a client from one request to the next: there are no sessions, and nothing is sent but answers, so that GET and DELETE are
// refused. It does not know who may ask what, and from where: whoever calls it does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		s.failAs(w, http.StatusMethodNotAllowed, fault.New(
			fault.Invalid, "mcp.http", "only POST: this server keeps no sessions"))
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != typeJSON {
		s.notJSON(w)
		return
	}
	body, cut := s.readBody(w, r)
	if cut != nil {
		s.write(w, http.StatusBadRequest, s.refuse(*cut))
		return
	}
	m, wrong := check(body)
	e := eraOf(r.Header, m.params)
	if wrong == nil && m.id != nil {
		wrong = e.check(r.Header, m)
	}
	switch {
	case wrong != nil && wrong.code != 0:
		s.write(w, http.StatusBadRequest, s.refuse(*wrong))
	case wrong != nil || m.answer: // nothing was asked
		w.WriteHeader(http.StatusAccepted)
	case !e.modern && e.header != "" && !proto.IsValidProtocolVersion(e.header):
		s.fail(w, fault.New(fault.Invalid, "mcp.http", "unknown MCP-Protocol-Version"))
	default:
		m.line = body
		s.answerHTTP(w, r, m, e)
	}
}

// answerHTTP answers an accepted message.
func (s *Server) answerHTTP(w http.ResponseWriter, r *http.Request, m message, e era) {
	a := &httpAnswer{server: s, w: w, streams: strings.Contains(r.Header.Get("Accept"), typeStream), modern: e.modern}
	c := s.visitor(a.send)
	defer func() { _ = c.Close() }() // what was answered stays
	ctx, stop := context.WithCancel(c.Context(r.Context()))
	wait := func() {}
	if e.progress != nil && m.id != nil && a.streams {
		wait = a.progress(ctx, e.progress)
	}
	line := c.answer(ctx, m)
	stop()
	wait()
	if line == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	a.end(line)
}

// visitor returns a client of which the next message knows nothing.
func (s *Server) visitor(send func(line []byte) error) *Client {
	c := s.Connect(send)
	c.once = true
	return c
}

// alone returns a context for a client of which the next request knows nothing.
func (s *Server) alone(ctx context.Context) context.Context { return s.visitor(nil).Context(ctx) }

// readBody reads a message, or returns how it is refused.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, cut *refusal) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(s.o.Env.Now().Add(patience)) // else the server's own holds
	in := http.MaxBytesReader(w, r.Body, limits.MCPMessage)
	var b bytes.Buffer
	b.Grow(int(min(max(r.ContentLength, 0), maxReserved)) + bytes.MinRead)
	_, err := b.ReadFrom(in)
	_ = control.SetReadDeadline(time.Time{}) // else it would end the request while it is answered
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		too := tooLarge(newSeeker(b.Bytes()))
		return nil, &too
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &refusal{code: codeParse, text: "the message did not arrive in full"}
	}
	return b.Bytes(), nil
}

// era is what a message says of its protocol.
type era struct {
	modern       bool            // stateless: every message speaks for itself
	meta, header string          // the revision, in the message and beside it
	params       json.RawMessage // of the message
	progress     json.RawMessage // the token under which the client wants to hear of progress
}

// eraOf reads what the params of a message say of its protocol. One that names the newer one in either place is of that.
func eraOf(h http.Header, params json.RawMessage) era {
	var meta struct {
		Version  string          `json:"io.modelcontextprotocol/protocolVersion"`
		Progress json.RawMessage `json:"progressToken"`
	}
	if params != nil {
		fields, _ := object(params, nil)
		_ = json.Unmarshal(fields["_meta"], &meta) // without one it says nothing
	}
	e := era{meta: meta.Version, header: h.Get(proto.HeaderProtocolVersion), params: params, progress: meta.Progress}
	e.modern = proto.IsModernProtocol(e.meta) || proto.IsModernProtocol(e.header)
	return e
}

// check compares what a message of the newer protocol says with what is said beside it.
func (e era) check(h http.Header, m message) *refusal {
	if !e.modern {
		return nil
	}
	refuse := func(code int, text string) *refusal { return &refusal{m.id, code, text} }
	switch {
	case e.header == "":
		return refuse(proto.HEADER_MISMATCH, "the header MCP-Protocol-Version is missing")
	case e.meta == "":
		return refuse(codeParams, "params._meta lacks "+proto.MetaKeyProtocolVersion)
	case e.header != e.meta:
		return refuse(proto.HEADER_MISMATCH, "the header MCP-Protocol-Version is not what params._meta says")
	case !proto.IsValidProtocolVersion(e.meta):
		return nil // the MCP library's answer names the revisions that it speaks
	}
	if err := proto.ValidateStandardHeaders(h.Get, e.meta, proto.MCPMethod(m.method), e.params); err != nil {
		return refuse(proto.HEADER_MISMATCH, harmless(err.Error()))
	}
	return nil
}

// httpAnswer is the answer to a request: one JSON text, or a stream once something is sent before it.
type httpAnswer struct {
	server          *Server
	w               http.ResponseWriter
	streams, modern bool // whether the client takes a stream, and which protocol it speaks
	mu              sync.Mutex
	streaming       bool // guarded by mu
}

// send writes what is no answer. A client that takes no stream is sent none of it.
func (a *httpAnswer) send(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.streams {
		return nil
	}
	a.begin()
	return a.event(line)
}

// begin makes the answer a stream.
func (a *httpAnswer) begin() {
	if !a.streaming {
		a.streaming = true
		a.w.Header().Set("Content-Type", typeStream)
		a.w.Header().Set("Cache-Control", "no-store")
	}
}

// event writes an event of the stream, which is open. Lines have no line ends.
func (a *httpAnswer) event(line []byte) error {
	return a.flush(append(append([]byte("event: message\ndata: "), line...), "\n\n"...))
}

// flush writes a part of the stream.
func (a *httpAnswer) flush(part []byte) error {
	control := http.NewResponseController(a.w)
	_ = control.SetWriteDeadline(a.server.o.Env.Now().Add(patience)) // else the server's own holds
	_, err := a.w.Write(part)
	return errors.Join(err, control.Flush())
}

// end writes the answer.
func (a *httpAnswer) end(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.streaming {
		_ = a.event(line) // who does not take it has left
		return
	}
	a.server.write(a.w, a.status(line), line)
}

// status returns the status of an answer: the newer protocol has one for each kind of error, the older one none.
func (a *httpAnswer) status(line []byte) int {
	var e struct {
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if !bytes.Contains(line[:min(len(line), 2*maxID)], []byte(`"error":`)) || json.Unmarshal(line, &e) != nil ||
		e.Error == nil || !a.modern {
		return http.StatusOK
	}
	switch e.Error.Code {
	case proto.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case codeInternal:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// progress tells the client, from now on and until ctx ends, that its request is at work, and for how many seconds. The
// returned function waits until nothing more is written.
func (a *httpAnswer) progress(ctx context.Context, token json.RawMessage) (wait func()) {
	var work sync.WaitGroup
	tell := func(seconds float64) error {
		line, err := json.Marshal(map[string]any{"jsonrpc": proto.JSONRPC_VERSION, "method": "notifications/progress",
			"params": map[string]any{"progressToken": token, "progress": seconds, "message": "at work"}})
		if err != nil {
			return err
		}
		return a.send(line)
	}
	_ = tell(0) // who does not take it has left
	work.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for seconds := progressEvery.Seconds(); ; seconds += progressEvery.Seconds() {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if tell(seconds) != nil {
					return
				}
			}
		}
	})
	return work.Wait
}

// write writes a JSON text.
func (s *Server) write(w http.ResponseWriter, status int, line []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(s.o.Env.Now().Add(patience)) // else the server's own holds
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(line) // who does not take it has left
}
