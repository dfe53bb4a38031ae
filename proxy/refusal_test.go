package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

// tooLarge is how each dialect refuses a request for its size: the status and body, and an event in a stream.
var tooLarge = map[string]struct {
	status        int
	whole, stream string
	limit         int
}{
	"anthropic": {400, `{"type":"error","error":{"type":"invalid_request_error","message":` +
		`"prompt is too long: 213462 tokens > 100000 maximum"}}`,
		"event: error\ndata: " + `{"type":"error","error":{"type":"invalid_request_error","message":` +
			`"prompt is too long: 213462 tokens > 100000 maximum"}}` + "\n\n", 100_000},
	"chat": {400, `{"error":{"message":"This model's maximum context length is 64000 tokens. However, your messages resulted in ` +
		`70000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		"data: " + `{"error":{"message":"This model's maximum context length is 64000 tokens. However, your messages resulted ` +
			`in 70000 tokens.","code":"context_length_exceeded"}}` + "\n\n", 64_000},
	"responses": {400, `{"error":{"message":"This model's maximum context length is 64000 tokens. However, your messages ` +
		`resulted in 70000 tokens.","code":"context_length_exceeded"}}`,
		"event: response.failed\ndata: " + `{"type":"response.failed","response":{"id":"r1","status":"failed","error":{"code":` +
			`"context_length_exceeded","message":"This model's maximum context length is 64000 tokens. However, your messages ` +
			`resulted in 70000 tokens."}}}` + "\n\n", 64_000},
	"gemini": {400, `{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed ` +
		`(60000).","status":"INVALID_ARGUMENT"}}`,
		"data: " + `{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed ` +
			`(60000).","status":"INVALID_ARGUMENT"}}` + "\n\n", 60_000},
}

// learnt returns the window that the ledger believes in for the one session.
func (s *scene) learnt() *ledger.Window {
	s.Helper()
	session, _ := s.recorded()
	st, err := s.ledger.Status(s.Context(), ledger.StatusRequest{Session: session})
	if err != nil {
		s.Fatal(err)
	}
	return st.Limits
}

// TestARefusalForSizeTeachesTheLimit: the client gets the refusal as it is, and the ledger knows the limit from then on, for
// this model at this address.
func TestARefusalForSizeTeachesTheLimit(t *testing.T) {
	for _, d := range []string{"anthropic", "chat", "responses", "gemini"} {
		refusal := tooLarge[d]
		for name, body := range map[string]string{"whole": refusal.whole, "streamed": refusal.stream} {
			t.Run(d+"/"+name, func(t *testing.T) {
				n := 0
				s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
					if n++; n == 1 {
						answerJSON(said[d][0])(w, r)
						return
					}
					if w.Header().Set("Content-Type", "text/event-stream"); name == "whole" {
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(refusal.status)
					}
					_, _ = io.WriteString(w, body)
				})
				at, first := asking(d, hi[d][0])
				s.send(at, first)
				_, second := asking(d, hi[d][0]+","+hi[d][1])
				resp, got := s.send(at, second)
				if string(got) != body || name == "whole" && resp.StatusCode != refusal.status {
					t.Errorf("status %d: %s", resp.StatusCode, got)
				}
				s.stop()
				w := s.learnt()
				if w == nil || w.Learned == nil || w.Learned.Limit != refusal.limit ||
					w.Learned.Endpoint != s.provider.URL+"/base" || w.Learned.Model != "mm" {
					t.Fatalf("%+v", w)
				}
			})
		}
	}
}

// TestTheFirstRequestIsRefused: a conversation that a proxy sees for the first time when it is too large is recorded with it.
func TestTheFirstRequestIsRefused(t *testing.T) {
	s := newScene(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, tooLarge["chat"].whole)
	})
	at, body := asking("chat", hi["chat"][0])
	s.send(at, body)
	s.stop()
	if w := s.learnt(); w == nil || w.Tokens != tooLarge["chat"].limit {
		t.Fatalf("%+v", w)
	}
	if _, texts := s.recorded(); !strings.Contains(strings.Join(texts, ""), `"hi"`) {
		t.Errorf("%q", texts)
	}
}

// TestOtherRefusalsTeachNothing: of a limit of speed, a wrong key, and words about limits in an answer, nothing is learnt.
func TestOtherRefusalsTeachNothing(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"speed":  {429, `{"error":{"message":"Rate limit reached: maximum context length is 8192 tokens"}}`},
		"key":    {401, `{"error":{"message":"invalid x-api-key"}}`},
		"server": {500, `{"error":{"message":"internal error computing maximum context length is 8192 tokens"}}`},
		"words": {200, strings.Replace(said["chat"][0], `"content":"ok"`,
			`"content":"an \"error\": prompt is too long: 213462 tokens > 100000 maximum"`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n > 1 {
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
					return
				}
				answerJSON(said["chat"][0])(w, r)
			})
			at, first := asking("chat", hi["chat"][0])
			s.send(at, first)
			_, second := asking("chat", hi["chat"][0]+","+hi["chat"][1])
			s.send(at, second)
			s.stop()
			if w := s.learnt(); w != nil {
				t.Errorf("%+v", w)
			}
		})
	}
}

// asking returns the path and body of a request with messages.
func asking(dialect, messages string) (path, text string) {
	for _, d := range dialects {
		if d.name == dialect {
			return "/" + token + d.path, body(dialect, messages)
		}
	}
	panic("no dialect " + dialect)
}

// TestALearntLimitHoldsForOtherSessions of the same model at the same address, which a proxy measures and nobody refused yet.
func TestALearntLimitHoldsForOtherSessions(t *testing.T) {
	refuse := false
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		if refuse {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, tooLarge["chat"].whole)
			return
		}
		answerJSON(said["chat"][0])(w, r)
	})
	path, first := asking("chat", hi["chat"][0])
	_, other := asking("chat", `{"role":"user","content":"something else"}`)
	_, second := asking("chat", hi["chat"][0]+","+hi["chat"][1])
	s.send(path, first)
	s.send(path, other)
	refuse = true
	s.send(path, second)
	s.stop()
	all, err := s.ledger.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || len(all.Sessions) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, x := range all.Sessions {
		st, err := s.ledger.Status(t.Context(), ledger.StatusRequest{Session: x.ID})
		if err != nil || st.Window != tooLarge["chat"].limit || st.WindowFrom != ledger.WindowRefused {
			t.Errorf("%q: window %d from %s, %v", x.Title, st.Window, st.WindowFrom, err)
		}
	}
}
