package proxy_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/proxy"
)

// local is a server on one's own machine: its answers by their paths, and what it was asked.
type local struct {
	answers map[string]string
	asked   []string
	keys    map[string]bool
}

// ServeHTTP implements http.Handler. The model is asked at the path of chat completions.
func (l *local) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/base")
	if strings.HasSuffix(path, "/chat/completions") {
		_, _ = io.WriteString(w, said["chat"][0])
		return
	}
	body, _ := io.ReadAll(r.Body)
	l.asked = append(l.asked, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
	l.keys[r.Header.Get("Authorization")] = true
	answer, known := l.answers[path]
	switch {
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case answer == "elsewhere":
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	default:
		_, _ = io.WriteString(w, answer)
	}
}

// TestAServerIsAskedForItsContext where a person allows it, at its own address alone: what it has loaded is the window, whatever
// the model was trained with.
func TestAServerIsAskedForItsContext(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers map[string]string
		denied  bool
		want    int
	}{
		{"Ollama", map[string]string{"/api/ps": `{"models":[{"name":"other","context_length":1000},{"name":"mm:latest",` +
			`"model":"mm:latest","context_length":8192}]}`}, false, 8_192},
		{"Ollama before", map[string]string{"/api/ps": `{"models":[{"name":"mm:latest"}]}`,
			"/api/show": `{"parameters":"stop \"x\"\nnum_ctx  16384","model_info":{"a.context_length":131072}}`}, false,
			16_384},
		{"vLLM", map[string]string{"/v1/models": `{"data":[{"id":"mm","max_model_len":32768}]}`}, false, 32_768},
		{"LM Studio", map[string]string{"/v1/models": `{"data":[{"id":"mm"}]}`, "/api/v0/models": `{"data":[` +
			`{"id":"mm","state":"loaded","loaded_context_length":4096,"max_context_length":131072}]}`}, false, 4_096},
		{"llama.cpp", map[string]string{"/v1/models": `{"data":[{"id":"mm","meta":{"n_ctx_train":131072}}]}`,
			"/props": `{"default_generation_settings":{"n_ctx":12288}}`}, false, 12_288},
		{"nobody allows it", map[string]string{"/api/ps": `{"models":[{"name":"mm","context_length":8192}]}`}, true, 0},
		{"nonsense", map[string]string{"/api/ps": `{"models":[{"name":"mm","context_length":-5}]}`, "/v1/models": "[",
			"/props": `{"default_generation_settings":{"n_ctx":1}}`}, false, 0},
		{"elsewhere", map[string]string{"/api/ps": "elsewhere"}, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := &local{answers: c.answers, keys: map[string]bool{}}
			s := newScene(t, server.ServeHTTP)
			s.stop()
			s.ask = map[string]bool{"openai": !c.denied}
			s.start()
			path, first := asking("chat", hi["chat"][0])
			_, second := asking("chat", hi["chat"][0]+","+hi["chat"][1])
			s.send(path, first, "Authorization", "Bearer k")
			s.send(path, second, "Authorization", "Bearer k")
			s.stop()
			session, _ := s.recorded()
			st, err := s.ledger.Status(t.Context(), ledger.StatusRequest{Session: session})
			if err != nil || st.Window != c.want ||
				c.want > 0 && (st.WindowFrom != ledger.WindowLoaded || st.Threshold >= c.want) {
				t.Errorf("window %d from %q, threshold %d, %v", st.Window, st.WindowFrom, st.Threshold, err)
			}
			n := len(server.asked)
			if c.denied != (n == 0) || n > 5 || !c.denied && (len(server.keys) != 1 || !server.keys["Bearer k"]) {
				t.Errorf("%q, %v", server.asked, server.keys)
			}
		})
	}
}

// TestALimitIsVoidWhenTheContextIsAnotherOne: a server that was started again with a larger context does not refuse what the one
// before it did.
func TestALimitIsVoidWhenTheContextIsAnotherOne(t *testing.T) {
	context := `{"data":[{"id":"mm","max_model_len":8192}]}`
	refuse := false
	server := &local{keys: map[string]bool{}}
	s := newScene(t, func(w http.ResponseWriter, r *http.Request) {
		if refuse && strings.HasSuffix(r.URL.Path, "/chat/completions") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"This model's maximum context length is 6000 tokens. However, your `+
				`messages resulted in 7000 tokens."}}`)
			return
		}
		server.answers = map[string]string{"/v1/models": context}
		server.ServeHTTP(w, r)
	})
	s.ask = map[string]bool{"openai": true}
	send := func(messages string) (window int, from string) {
		s.stop()
		s.start() // it asks anew
		path, text := asking("chat", messages)
		s.send(path, text)
		s.stop()
		session, _ := s.recorded()
		st, err := s.ledger.Status(t.Context(), ledger.StatusRequest{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		return st.Window, st.WindowFrom
	}
	messages := hi["chat"][0]
	if n, from := send(messages); n != 8_192 || from != ledger.WindowLoaded {
		t.Errorf("%d from %s", n, from)
	}
	refuse = true
	messages += "," + hi["chat"][1]
	if n, from := send(messages); n != 6_000 || from != ledger.WindowRefused {
		t.Errorf("after a refusal: %d from %s", n, from)
	}
	refuse = false
	if n, from := send(messages); n != 6_000 || from != ledger.WindowRefused {
		t.Errorf("after it was answered again: %d from %s", n, from)
	}
	refuse, context = false, `{"data":[{"id":"mm","max_model_len":32768}]}`
	if n, from := send(messages); n != 32_768 || from != ledger.WindowLoaded {
		t.Errorf("with another context: %d from %s", n, from)
	}
}

// TestWhatIsNear: only servers of one's own are asked.
func TestWhatIsNear(t *testing.T) {
	for address, want := range map[string]bool{"http://localhost:11434/v1": true, "http://127.0.0.1:8080": true,
		"http://[::1]:1": true, "http://192.168.0.5:1234/v1": true, "http://10.1.2.3": true,
		"https://api.openai.com/v1": false, "https://8.8.8.8": false, "http://localhost.example.com": false} {
		u, err := url.Parse(address)
		if err != nil || proxy.Near(u) != want {
			t.Errorf("%s: %v, %v", address, !want, err)
		}
	}
}
