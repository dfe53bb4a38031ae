package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// asking is how long a request waits for what was used of the limits: the first one until there is a ledger, all others until
// the requests before it are recorded. Then it passes.
const asking = 2 * time.Second

// stopped answers a request that a limit does not let pass, and reports whether it did. What is under way counts only once it is
// recorded.
func (s *Server) stopped(w http.ResponseWriter, r *http.Request, x *exchange) bool {
	if s.config.Limited == nil || !s.config.Limited() {
		return false
	}
	var body []byte
	if who := identify(x.header, &request{}); who.session == "" { // its words say which conversation it goes on with
		body = peek(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), asking)
	defer cancel()
	spent, err := s.recorder.spent(ctx, x, body)
	if err != nil && r.Context().Err() == nil {
		s.config.Say("a request was passed on without checking the limits: " + err.Error())
	}
	for _, of := range spent {
		if of.Near() && s.recorder.tell(of) {
			s.config.Say(of.String())
		}
		if of.Reached() {
			x.dialect.stop(w, r, of.Stopped())
			return true
		}
	}
	return false
}

// peek returns the body of a request, which can be read all the same; nil: it is too long, or cannot be read.
func peek(r *http.Request) []byte {
	var body bytes.Buffer
	body.Grow(int(min(max(r.ContentLength, 0)+bytes.MinRead, maxBody)))
	n, err := io.Copy(&body, io.LimitReader(r.Body, maxBody+1))
	read := body.Bytes()
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), r.Body), r.Body}
	if err != nil || n > maxBody {
		return nil
	}
	return read
}

// stop answers as the provider would refuse a request for good: agents show its words to the person and do not try again.
func (d *dialect) stop(w http.ResponseWriter, r *http.Request, text string) {
	var answer any
	switch d.format {
	case transcript.Anthropic:
		answer = map[string]any{"type": "error",
			"error": map[string]any{"type": "invalid_request_error", "message": text}}
	case transcript.Gemini:
		answer = map[string]any{"error": map[string]any{"code": http.StatusBadRequest, "message": text,
			"status": "FAILED_PRECONDITION"}}
		if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") && r.URL.Query().Get("alt") != "sse" {
			answer = []any{answer}
		}
	default:
		answer = map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error", "param": nil,
			"code": "ctxledger_limit"}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(answer) // the agent may have gone: its loss
}

// spent asks the ledger what was used of the limits for a request, after all that passed before it was recorded. body may be
// nil. Errors: limited if too much waits; those of ctx and the ledger.
func (r *recorder) spent(ctx context.Context, x *exchange, body []byte) ([]ledger.Spent, error) {
	type answer struct {
		ledger.LimitsResponse
		err error
	}
	said := make(chan answer, 1)
	queued := r.queue(func() {
		var a answer
		defer func() { said <- a }()
		api, err := r.Config.Ledger(ctx)
		if err == nil {
			a.LimitsResponse, err = api.Limits(ctx, r.whose(x, body))
		}
		a.err = err
	})
	if !queued {
		return nil, fault.New(fault.Limited, "proxy.limits", "more simultaneous requests than can be recorded")
	}
	r.hurry()
	select {
	case a := <-said:
		return a.Spent, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// whose says of which session and agent a request is, as far as that is known. It is called by the one goroutine.
func (r *recorder) whose(x *exchange, body []byte) ledger.LimitsRequest {
	q, err := x.dialect.request(x.path, body)
	if err != nil {
		q = &request{}
	}
	who := identify(x.header, q)
	out := ledger.LimitsRequest{Agent: who.agent}
	out.Dir = r.Dir
	if who.files {
		out.Host, out.HostID = who.host, who.session
		return out
	}
	k := r.talk(who)
	t := k.of(q, who.agent, who.session != "")
	if t == nil || t.session == "" {
		t = k.main()
	}
	if t != nil {
		out.Session = t.session
	}
	return out
}

// tell reports whether people have not been told yet of what was used of a limit: that it is near, and that it is reached.
func (r *recorder) tell(s ledger.Spent) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.told {
		if t.Same(s) && (t.Reached() || !s.Reached()) {
			return false
		}
	}
	if len(r.told) == maxTold {
		r.told = r.told[1:]
	}
	r.told = append(r.told, s)
	return true
}
