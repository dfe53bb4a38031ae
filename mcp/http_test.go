package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// meta is what a message of the newer protocol says of itself.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"codex-mcp-client","version":"1"}}`

// posted sends a message to a server as HTTP does, with headers in pairs.
func posted(s http.Handler, method, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", typeJSON)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestMessagesOverHTTP(t *testing.T) {
	const version, method, name = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"
	f := newFixture(t, nil)
	list := func(v string) string { return string(asked("1", "tools/list", `{`+fmt.Sprintf(meta, v)+`}`)) }
	const modern, legacy = "2026-07-28", "2025-11-25"
	call := string(asked("1", "tools/call",
		`{"name":"memory","arguments":{"action":"list"},`+fmt.Sprintf(meta, modern)+`}`))
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		has                string
	}{
		{"no handshake", "POST", string(asked("1", "tools/list", `{}`)), nil, 200, `"memory"`},
		{"the handshake", "POST", string(asked("1", "initialize", fmt.Sprintf(hello, "x"))), nil, 200, legacy},
		{"the first revision", "POST", string(asked("1", "initialize",
			strings.Replace(fmt.Sprintf(hello, "x"), legacy, "2024-11-05", 1))), nil, 200, "2024-11-05"},
		{"a revision of the older protocol", "POST", string(asked("1", "tools/list", `{}`)),
			[]string{version, "2025-06-18"}, 200, `"memory"`},
		{"a revision that nobody knows", "POST", string(asked("1", "tools/list", `{}`)),
			[]string{version, "1999-01-01"}, 400, "unknown"},
		{"a session of somebody", "POST", string(asked("1", "tools/list", `{}`)),
			[]string{"Mcp-Session-Id", "forged"}, 200, `"memory"`},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"an answer to nothing", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 202, ""},
		{"the stream of a session", "GET", "", nil, 405, "POST"},
		{"the end of a session", "DELETE", "", nil, 405, "POST"},
		{"another method", "PUT", list(modern), nil, 405, "POST"},
		{"text", "POST", list(modern), []string{"Content-Type", "text/plain"}, 415, typeJSON},
		{"a form", "POST", list(modern), []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, typeJSON},
		{"no type", "POST", list(modern), []string{"Content-Type", ""}, 415, typeJSON},
		{"a type with a charset", "POST", string(asked("1", "tools/list", `{}`)),
			[]string{"Content-Type", "application/json; charset=utf-8"}, 200, `"memory"`},
		{"nothing", "POST", "", nil, 400, "-32700"},
		{"no JSON", "POST", "{", nil, 400, "-32700"},
		{"a batch", "POST", `[` + list(modern) + `]`, nil, 400, "-32600"},
		{"a name twice", "POST", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, nil, 400, "-32600"},
		{"an unknown method", "POST", string(asked("1", "no/such", `{}`)), nil, 200, "-32601"},

		{"the newer protocol", "POST", list(modern), []string{version, modern, method, "tools/list"}, 200, `"memory"`},
		{"discovery", "POST", string(asked("1", "server/discover", `{`+fmt.Sprintf(meta, modern)+`}`)),
			[]string{version, modern, method, "server/discover"}, 200, `"supportedVersions"`},
		{"a call", "POST", call, []string{version, modern, method, "tools/call", name, "memory"}, 200, "no memory"},
		{"without the header", "POST", list(modern), nil, 400, "-32020"},
		{"without what the header says", "POST", string(asked("1", "tools/list", `{}`)), []string{version, modern}, 400,
			"-32602"},
		{"another revision beside it", "POST", list(modern), []string{version, legacy, method, "tools/list"}, 400,
			"-32020"},
		{"without the method", "POST", list(modern), []string{version, modern}, 400, "-32020"},
		{"another method beside it", "POST", list(modern), []string{version, modern, method, "ping"}, 400, "-32020"},
		{"another tool beside it", "POST", call, []string{version, modern, method, "tools/call", name, "changes"}, 400,
			"-32020"},
		{"a revision to come", "POST", list("2999-01-01"), []string{version, "2999-01-01", method, "tools/list"}, 400,
			"-32022"},
		{"an unknown method of it", "POST", string(asked("1", "no/such", `{`+fmt.Sprintf(meta, modern)+`}`)),
			[]string{version, modern, method, "no/such"}, 404, "-32601"},
		{"an unknown tool of it", "POST", strings.Replace(call, "memory", "no_tool", 1),
			[]string{version, modern, method, "tools/call", name, "no_tool"}, 400, "-32602"},
	} {
		w := posted(f.Server, c.method, c.body, c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s: %d %.300s, not %d with %q", c.name, w.Code, w.Body, c.status, c.has)
		}
		if id := w.Header().Get("Mcp-Session-Id"); id != "" {
			t.Errorf("%s: a session %q", c.name, id)
		}
	}
}

func TestAMessageOverHTTPIsBounded(t *testing.T) {
	f := newFixture(t, nil)
	long := `{"jsonrpc":"2.0","id":"mine","method":"ping","params":{"x":"` + strings.Repeat("a", limits.MCPMessage) + `"}}`
	for name, body := range map[string]string{
		"too long": long, "too deep": `{"jsonrpc":"2.0","id":"mine","method":"ping","params":{"x":` +
			strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`,
	} {
		if w := posted(f.Server, "POST", body); w.Code != 400 || !strings.Contains(w.Body.String(), `"id":"mine"`) {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
	}
	broken := httptest.NewRequest("POST", "/mcp", io.MultiReader(strings.NewReader(`{"jsonrpc"`), failing{}))
	broken.Header.Set("Content-Type", typeJSON)
	w := httptest.NewRecorder()
	if f.ServeHTTP(w, broken); w.Code != 400 || !strings.Contains(w.Body.String(), "-32700") {
		t.Errorf("cut off: %d %s", w.Code, w.Body)
	}
}

// failing is a connection that breaks.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAClientHearsOfProgressIfItAskedAndTakesAStream(t *testing.T) {
	f := newFixture(t, nil)
	ask := func(token, accept string) *httptest.ResponseRecorder {
		return posted(f.Server, "POST", string(asked("7", "tools/call",
			`{"name":"memory","arguments":{"action":"list"}`+token+`}`)), "Accept", accept)
	}
	const both, token = typeJSON + ", " + typeStream, `,"_meta":{"progressToken":"p"}`
	w := ask(token, both)
	events := strings.Split(strings.TrimSpace(w.Body.String()), "\n\n")
	if w.Header().Get("Content-Type") != typeStream || len(events) != 2 ||
		!strings.Contains(events[0], `"progressToken":"p"`) || !strings.Contains(events[1], `"id":7`) {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	for _, e := range events {
		data, ok := strings.CutPrefix(e, "event: message\ndata: ")
		if !ok || !json.Valid([]byte(data)) {
			t.Errorf("no event: %s", e)
		}
	}
	for _, w := range []*httptest.ResponseRecorder{ask("", both), ask(token, typeJSON), ask(token, "")} {
		if w.Header().Get("Content-Type") != typeJSON || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
	}
}

// TestALongAnswerOverHTTPIsWhole: the pages of another request would be nobody's.
func TestALongAnswerOverHTTPIsWhole(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Structured = false })
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%d: %s\n", i, strings.Repeat("word ", 60))
	}
	long := tool{name: "long", input: `{"type":"object"}`,
		run: func(context.Context, *call) (reply, error) { return reply{text: b.String()}, nil }}
	f.mcp.AddTool(f.describe(long), f.handler(long, schema{}))
	w := posted(f.Server, "POST", string(asked("1", "tools/call",
		`{"name":"long",`+fmt.Sprintf(meta, "2026-07-28")+`}`)),
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "long")
	if got := w.Body.String(); !strings.Contains(got, "199: word") || strings.Contains(got, answerPrefix) {
		t.Errorf("%.300s", got)
	}
}

// TestAToolRunsOnlyIfItIsPermitted: each one is asked about, with the role that it needs.
func TestAToolRunsOnlyIfItIsPermitted(t *testing.T) {
	var got []string
	f := newFixture(t, func(o *Options) {
		o.Permit = func(_ context.Context, operation string, needed access.Role) error {
			got = append(got, fmt.Sprint(operation, " ", needed))
			return fault.New(fault.Denied, "test", "not you")
		}
	})
	for _, c := range []struct{ tool, arguments, want string }{
		{"memory", `{"action":"list"}`, "memory read"},
		{"memory", `{"action":"recall","query":"x"}`, "memory read"},
		{"memory", `{"action":"get","name":"x"}`, "memory read"},
		{"memory", `{"action":"save","name":"x","body":"y"}`, "memory write"},
		{"memory", `{"action":"delete","name":"x"}`, "memory write"},
		{"memory", `{"action":"restore","name":"x"}`, "memory write"},
		{"compact_conversation", `{"messages":[{"role":"user","content":"x"}]}`, "compact_conversation write"},
		{"read_artifact", `{"id":"x"}`, "read_artifact read"},
		{"context_status", `{}`, "context_status read"},
		{"changes", `{}`, "changes read"},
	} {
		got = nil
		w := posted(f.Server, "POST", string(asked("1", "tools/call",
			`{"name":"`+c.tool+`","arguments":`+c.arguments+`}`)))
		if len(got) != 1 || got[0] != c.want || !strings.Contains(w.Body.String(), "denied: not you") {
			t.Errorf("%s %s: %q %s", c.tool, c.arguments, got, w.Body)
		}
	}
}
