package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
)

// theKey is what requests carry; it must be in no error, no answer and no record.
const theKey = "sk-test-0123456789abcdefghijklmnop"

// asked is one request that a server got.
type asked struct {
	path   string
	header http.Header
	body   map[string]any
}

// text is all that the request gives the model to read.
func (a asked) text() string {
	raw, _ := json.Marshal(a.body)
	return string(raw)
}

// provider is a model server of one dialect in this process, reached over HTTP as any other.
type provider struct {
	*httptest.Server
	dialect dialect
	mu      sync.Mutex
	asked   []asked // guarded by mu
}

// dialect is how a provider speaks.
type dialect struct {
	kind  string
	path  string
	okay  func(text string, in, out, cached int) string
	wrong func(kind, message string) string
}

var dialects = []dialect{
	{config.KindAnthropic, "/v1/messages", func(text string, in, out, cached int) string {
		return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-x-1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":%s}],`+
			`"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
			quoted(text), in, cached, out)
	}, func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s},"request_id":"req_1"}`, quoted(kind),
			quoted(message))
	}},
	{config.KindOpenAI, "/v1/chat/completions", func(text string, in, out, cached int) string {
		return fmt.Sprintf(`{"id":"c-1","object":"chat.completion","model":"gpt-x-1","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
			quoted(text), in+cached, out, in+cached+out, cached)
	}, func(kind, message string) string {
		return fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error","param":null,"code":%s}}`,
			quoted(message), quoted(kind))
	}},
}

func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// serve starts a provider that answers the n-th request, from 1, by a function.
func serve(t *testing.T, d dialect, answer func(n int, w http.ResponseWriter, r *http.Request)) *provider {
	t.Helper()
	p := &provider{dialect: d}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		a := asked{path: r.URL.Path, header: r.Header.Clone()}
		if err := json.Unmarshal(raw, &a.body); err != nil {
			t.Errorf("the request is not JSON: %v", err)
		}
		p.mu.Lock()
		p.asked = append(p.asked, a)
		n := len(p.asked)
		p.mu.Unlock()
		answer(n, w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// requests returns what the server got so far.
func (p *provider) requests() []asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]asked{}, p.asked...)
}

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// client returns a client of a provider, with the key in the environment.
func (p *provider) client(t *testing.T, edit func(*config.Summarizer)) *Client {
	t.Helper()
	c := config.Summarizer{Kind: p.dialect.kind, URL: p.URL, Model: "the-model", KeyEnv: "THE_KEY",
		Timeout: time.Minute}
	if edit != nil {
		edit(&c)
	}
	return newClient(t, c)
}

// brief is something to summarise: n messages, in one part.
func brief(n int) *compaction.Brief {
	b := &compaction.Brief{FirstKept: 9, Range: "r", From: 1, To: n, MaxTokens: 2_000, Task: "Do it.",
		Parts: []compaction.BriefPart{{}}}
	for i := range n {
		text := fmt.Sprintf("message-%d ", i) + strings.Repeat(fmt.Sprintf("word%d ", i), 300)
		b.Parts[0].Messages = append(b.Parts[0].Messages,
			compaction.BriefMessage{Label: fmt.Sprintf("[Agent — Turn %d]", i), Text: text, Chars: len(text)})
	}
	return b
}

const sectioned = "## Completed\n- it is done\n\n## Open Questions\nNone.\n\n## Remaining Work\nNone.\n\n## Key Findings\nNone."
