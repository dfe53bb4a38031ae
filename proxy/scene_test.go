package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/proxy"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef"

// scene is a proxy between a client and a provider, with a ledger.
type scene struct {
	*testing.T
	ledger   *engine.Local
	provider *httptest.Server
	served   *proxy.Server
	front    *httptest.Server
	policy   window.Policy
	ask      map[string]bool
	// reduce says that requests are made smaller: they wait for decisions as long as these take.
	reduce bool
	// open returns the ledger for the proxy in the place of ledger, if it is set.
	open proxy.Opener

	mu      sync.Mutex
	asked   []asked           // guarded by mu
	said    []string          // guarded by mu
	limits  []config.LimitSet // guarded by mu
	handler http.HandlerFunc  // guarded by mu; the provider
}

// limit sets the limits that are configured.
func (s *scene) limit(limits ...config.LimitSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = limits
}

// limited returns them.
func (s *scene) limited() []config.LimitSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits
}

// asked is a request as the provider got it.
type asked struct {
	method, uri string
	header      http.Header
	body        []byte
}

// newScene starts a proxy for a provider that answers with handler.
func newScene(t *testing.T, handler http.HandlerFunc) *scene {
	t.Helper()
	s := &scene{T: t, policy: window.Default(), handler: handler}
	var err error
	o := engine.Options{State: t.TempDir(), Workspace: t.TempDir(), Env: env.System(),
		SettingsOf: func(string) engine.Settings { return engine.Settings{Limits: s.limited(), Policy: &s.policy} }}
	s.ledger, err = engine.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.provider = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, asked{r.Method, r.RequestURI, r.Header.Clone(), body})
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		answer := s.handler
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(func() {
		s.stop()
		s.provider.Close()
		if err := s.ledger.Close(); err != nil {
			t.Error(err)
		}
	})
	s.start()
	return s
}

// start starts a proxy, which knows nothing of an earlier one.
func (s *scene) start() {
	base, err := url.Parse(s.provider.URL + "/base")
	if err != nil {
		s.Fatal(err)
	}
	s.front = httptest.NewUnstartedServer(nil)
	s.served = proxy.New(proxy.Config{
		Env: env.System(), Token: token, Dir: s.T.TempDir(), Reduce: s.reduce,
		Upstreams: map[string]*url.URL{"anthropic": base, "openai": base, "gemini": base},
		Ledger: func(ctx context.Context) (proxy.Ledger, error) {
			if s.open != nil {
				return s.open(ctx)
			}
			return s.ledger, nil
		},
		Ask:     s.ask,
		Limited: func() bool { return len(s.limited()) > 0 },
		Say: func(text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.said = append(s.said, text)
		},
	}, s.front.Listener.Addr().String())
	if s.reduce {
		s.served.WaitAtMost(time.Minute)
	}
	s.front.Config.Handler = s.served
	s.front.Start()
}

// stop ends the proxy: what has passed is recorded then.
func (s *scene) stop() {
	if s.front != nil {
		s.front.Close()
		s.served.Recorded() // a proxy that ends waits for five seconds, which on a busy machine may not be enough
		s.served.Close()
	}
	s.front = nil
}

// send sends a request through the proxy and returns its answer.
func (s *scene) send(path, body string, headers ...string) (*http.Response, []byte) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.front.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	resp, err := s.front.Client().Transport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp, got
}

// requests returns the measured requests of a session.
func (s *scene) requests(session string) []ledger.ModelRequest {
	s.Helper()
	page, err := s.ledger.Requests(s.Context(), ledger.RequestsRequest{Session: session})
	if err != nil {
		s.Fatal(err)
	}
	return page.Requests
}

// recorded returns the one session of an agent without session files, and the texts of its log.
func (s *scene) recorded() (session string, texts []string) {
	s.Helper()
	all, err := s.ledger.Sessions(s.Context(), ledger.SessionsRequest{})
	if err != nil || len(all.Sessions) != 1 {
		s.Fatalf("%d sessions: %+v, %v", len(all.Sessions), all.Sessions, err)
	}
	page, err := s.ledger.Log(s.Context(), ledger.LogRequest{Session: all.Sessions[0].ID, Originals: true})
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range page.Entries {
		texts = append(texts, string(e.Original))
	}
	return all.Sessions[0].ID, texts
}

// live returns the requests of a session that its agent names.
func (s *scene) live(host, id string) []ledger.ModelRequest {
	s.Helper()
	found, err := s.ledger.Session(s.Context(), ledger.SessionRequest{HostID: id})
	if err != nil || found.Host != host {
		s.Fatalf("%+v, %v", found, err)
	}
	return s.requests(found.ID)
}

// answerJSON answers with a JSON text.
func answerJSON(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// message is an answer of the Messages API with a usage.
func message(input, read, written int) string {
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5",`+
		`"content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":%d,`+
		`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":7}}`, input, read, written)
}

// measuredAt is a request of 10 tokens some hours from now.
func measuredAt(e env.Env, hours int) ledger.ModelRequest {
	return ledger.ModelRequest{At: e.Now().Add(time.Duration(hours) * time.Hour), Dialect: "anthropic",
		Status: http.StatusOK, Model: "mm", Usage: sessions.Usage{Input: 10}}
}
