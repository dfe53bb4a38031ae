package conformance

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/lab/hosted"
	"ctxledger.dev/lab/programtest"
)

// windowOf is the window of the scripted model, in bytes of a request: some turns fit, the whole chat does not.
const windowOf = 20_000

// provider is a model API that refuses what is longer than its window, as those of OpenAI and of Anthropic do.
type provider struct {
	*httptest.Server
	answered, refused atomic.Int64
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		text := fmt.Sprintf("answer %d: %s", p.answered.Load(), strings.Repeat("because of this. ", 60))
		ofAnthropic := strings.HasSuffix(r.URL.Path, "/messages")
		w.Header().Set("Content-Type", "application/json")
		switch {
		case len(body) > windowOf && ofAnthropic:
			p.refused.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: %d tokens > %d `+
				`maximum"}}`, len(body)/4, windowOf/4)
		case len(body) > windowOf:
			p.refused.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":"This model's maximum context length is %d tokens. However, your messages `+
				`resulted in %d tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
				windowOf/4, len(body)/4)
		case ofAnthropic:
			p.answered.Add(1)
			fmt.Fprintf(w, `{"id":"msg_%d","type":"message","role":"assistant","model":"claude","stop_reason":"end_turn",`+
				`"content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"output_tokens":9}}`, p.answered.Load(), text,
				len(body)/4)
		default:
			p.answered.Add(1)
			fmt.Fprintf(w, `{"id":"c%d","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"finish_reason":"stop",`+
				`"message":{"role":"assistant","content":%q}}]}`, p.answered.Load(), text)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// turnsOf is how many questions an example is asked in each of its two runs.
const turnsOf = 25

// TestRealExamplesStayBelowTheWindow runs the examples of the documentation: every question is answered, though the model
// refuses what is too long and the server is another one in the second run.
func TestRealExamplesStayBelowTheWindow(t *testing.T) {
	dir := filepath.Join(scripts(t), "stable")
	for name, program := range map[string]string{"chat.py": "python3", "openai.mjs": "node", "anthropic.mjs": "node"} {
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join("..", "..", "docs", "examples", name))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(script), "\n"); n > 25 {
				t.Errorf("%d lines", n)
			}
			file := filepath.Join(dir, "ctxledger-"+name) // beside what it imports
			if err := os.WriteFile(file, script, 0o600); err != nil {
				t.Fatal(err)
			}
			model, place, arguments := newProvider(t), programtest.NewPlace(t), []string{file}
			for run := range 2 {
				server, err := hosted.Start(t.Context(), place.Forever(binary, "--http", "127.0.0.1:0"))
				if err != nil {
					t.Fatal(err)
				}
				token, err := server.Token("chat", access.Write)
				if err != nil {
					t.Fatal(err)
				}
				cmd := place.Command(t, program, arguments...)
				cmd.Env = append(cmd.Env, "LEDGER="+server.URL, "TOKEN="+token, "MODEL_URL="+model.URL, "OPENAI_API_KEY=x",
					"OPENAI_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=x", "ANTHROPIC_BASE_URL="+model.URL)
				var questions strings.Builder
				for i := range turnsOf {
					fmt.Fprintf(&questions, "question %d of run %d: %s\n", i, run, strings.Repeat("and why? ", 30))
				}
				cmd.Stdin = strings.NewReader(questions.String())
				out, err := cmd.CombinedOutput()
				if stop := server.Stop(); err != nil || stop != nil {
					t.Fatalf("run %d: %v %v: %s\n%s", run, err, stop, out, server.Log)
				}
				arguments = []string{file, strings.TrimSpace(string(out))}
			}
			if n := model.answered.Load(); n != 2*turnsOf || model.refused.Load() == 0 {
				t.Errorf("%d answers, %d refusals", n, model.refused.Load())
			}
			t.Logf("%d answers, %d refusals", model.answered.Load(), model.refused.Load())
		})
	}
}
