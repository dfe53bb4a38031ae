package taint

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// modelServer is the server of a model. It keeps what it is asked, and answers with a summary or, when fails is set,
// with an error.
type modelServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked strings.Builder // guarded by mu
	fails string          // guarded by mu; what it says of its failure; "": it does not fail
}

func serveModel() *modelServer {
	m := &modelServer{}
	m.Server = httptest.NewServer(m)
	return m
}

// ServeHTTP answers as OpenAI's chat completions.
func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	m.asked.Write(raw)
	if m.fails != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"%s","type":"invalid_request_error","code":"%[1]s"}}`, inJSON(m.fails))
		return
	}
	fmt.Fprint(w, `{"id":"c-1","object":"chat.completion","model":"gpt-x-1","choices":[{"index":0,`+
		`"message":{"role":"assistant",`+
		`"content":"## Completed\nx\n## Open Questions\nx\n## Remaining Work\nx\n## Key Findings\nx"},`+
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
}

// fail has it fail from now on.
func (m *modelServer) fail(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = why
}

// models has models write summaries of the imported session, and fail over it.
func (p *place) models(s *search, list []canary) {
	p.t.Helper()
	m := serveModel()
	defer m.Close()
	p.write("config/ctxledger/config.yaml", fmt.Sprintf("summarizer: {kind: openai, url: %s, model: x}\n", m.URL))
	for _, mode := range []string{"llm", "hybrid"} {
		c := p.compact(s, "--mode", mode, "--reasoning", p.session)
		out, errs := p.must("restore", c.summary)
		s.look(CLI, "restore", "", out+errs)
	}
	s.look(File, "prompts to a model", "", m.asked.String())
	step := max(4, len(list)/10)
	for i := 0; i < len(list); i += step {
		m.fail(strings.Repeat("why ", i%100) + list[i].text)
		p.failing(s, "a server")
	}
	for i := 1; i < len(list); i += step {
		script := p.write("said.sh", "cat >&2 <<'END'\n"+strings.Repeat("why ", i%100)+list[i].text+"\nEND\nexit 3\n")
		p.write("config/ctxledger/config.yaml", fmt.Sprintf("summarizer: {kind: command, command: [sh, %q]}\n", script))
		p.failing(s, "a program")
	}
}

// failing looks at what is said of a model that fails; the ledger then writes the summary.
func (p *place) failing(s *search, of string) {
	p.t.Helper()
	c := p.compact(s, "--mode", "llm", p.session)
	s.look(File, "what a model server or a program says when it fails", of, c.said)
	p.must("restore", c.summary)
}
