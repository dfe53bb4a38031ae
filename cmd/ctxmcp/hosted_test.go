package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/hosting"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/logtest"
	"ctxledger.dev/mcp"
)

// hosted is a running server with two tenants, of which the first has something to hide.
type hosted struct {
	url    string
	dir    string // where it keeps everything
	log    *logtest.Buffer
	tokens map[string]string
	ids    map[string]string // of what the first tenant has: session, summary, handle, memory
}

// hidden is in everything that the first tenant stores.
const hidden = "kanarienvogel"

// start runs a server as the program does.
func start(t *testing.T) *hosted {
	t.Helper()
	e, dir := env.System(), t.TempDir()
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": dir}[name] }
	store, err := access.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	h := &hosted{dir: dir, log: &logtest.Buffer{}, tokens: map[string]string{}, ids: map[string]string{}}
	for name, as := range map[string]access.Token{
		"read": {Workspace: "shop", Role: access.Read}, "write": {Workspace: "shop", Role: access.Write},
		"admin": {Workspace: "shop", Role: access.Admin}, "foreign read": {Workspace: "bank", Role: access.Read},
		"foreign write": {Workspace: "bank", Role: access.Write},
		"foreign admin": {Workspace: "shop2", Role: access.Admin},
		"metrics":       {Role: access.Metrics}, "revoked": {Workspace: "shop", Role: access.Admin},
		"expired": {Workspace: "shop", Role: access.Admin, Expires: e.Now().Add(time.Hour)},
	} {
		as.Rate = access.MaxRate
		s := store
		if name == "expired" { // an hour ago
			past := e
			past.Now = func() time.Time { return e.Now().Add(-2 * time.Hour) }
			if s, err = access.Open(past); err != nil {
				t.Fatal(err)
			}
			as.Expires = past.Now().Add(time.Hour)
		}
		made, secret, err := s.Add(as)
		if err != nil {
			t.Fatal(err)
		}
		if h.tokens[name] = secret; name == "revoked" {
			if err := store.Revoke(made.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	serve, err := (&web{listen: "127.0.0.1:0"}).host(ctx, e,
		mcp.Options{Version: "test", Env: e, Structured: true, Log: slog.New(slog.NewTextHandler(h.log, nil))}, out)
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		if err := serve(); err != nil {
			t.Error(err)
		}
		_ = out.Close()
	})
	t.Cleanup(func() { cancel(); work.Wait(); http.DefaultClient.CloseIdleConnections() })
	if _, err := fmt.Fscanf(in, "ctxmcp: serving on %s\n", &h.url); err != nil {
		t.Fatal(err)
	}
	return h
}

// post sends a body and returns the status and the answer.
func (h *hosted) post(t *testing.T, path, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return h.send(t, r, token)
}

// send sends a request and returns the status and the answer.
func (h *hosted) send(t *testing.T, r *http.Request, token string) (int, string) {
	t.Helper()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+h.tokens[token])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// ask sends a request of MCP and returns the answer.
func (h *hosted) ask(t *testing.T, token, method string, params any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	_, text := h.post(t, "/mcp", token, string(raw))
	return text
}

// call calls a tool.
func (h *hosted) call(t *testing.T, token, tool string, arguments map[string]any) string {
	t.Helper()
	return h.ask(t, token, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// fill stores something of each kind for the first tenant, and learns its ids.
func (h *hosted) fill(t *testing.T) {
	t.Helper()
	h.call(t, "write", "memory", map[string]any{"action": "save", "name": "plan", "body": hidden + " of a memory"})
	messages := []map[string]any{{"role": "user", "content": hidden + ": fix the login in auth.go"},
		{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash",
			"input": map[string]any{"command": "cat " + hidden}}}},
		{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1",
			"content": strings.Repeat(hidden+" of a result\n", 4000)}}}}
	for i := range 6 {
		messages = append(messages, map[string]any{"role": "assistant", "content": fmt.Sprint("done ", i, hidden)},
			map[string]any{"role": "user", "content": fmt.Sprint("next ", i, hidden)})
	}
	var got struct {
		Result struct {
			Content    []struct{ Text string }
			Structured struct {
				Session string                `json:"session"`
				Summary string                `json:"summary_id"`
				Cut     []struct{ ID string } `json:"cut"`
			} `json:"structuredContent"`
		}
	}
	text := h.call(t, "write", "compact_conversation", map[string]any{"messages": messages, "keep_turns": 1,
		"notes": hidden + " of a note", "return": "summary"})
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	s := got.Result.Structured
	if s.Session == "" || s.Summary == "" || len(s.Cut) == 0 {
		t.Fatalf("nothing was compacted: %.2000s", text)
	}
	h.ids = map[string]string{"session": s.Session, "summary": s.Summary, "handle": s.Cut[0].ID, "memory": "plan"}
	for name, id := range h.ids {
		got := h.call(t, "read", "read_artifact", map[string]any{"id": id})
		if name != "memory" && !strings.Contains(got, hidden) {
			t.Errorf("the owner cannot read its %s %s", name, id)
		}
	}
}

// property is what a list says of an argument.
type property struct {
	Type  string   `json:"type"`
	Enum  []string `json:"enum"`
	Items struct {
		Type string `json:"type"`
	} `json:"items"`
}

// listed is a tool as the list has it.
type listed struct {
	Name  string `json:"name"`
	Input struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	} `json:"inputSchema"`
}

// arguments returns calls of a tool that name what the first tenant has, in every place: made from its schema, so that a new
// tool, argument or value cannot be forgotten.
func (h *hosted) arguments(tool listed) (all []map[string]any) {
	bases := []map[string]any{{}}
	for _, name := range slices.Sorted(maps.Keys(tool.Input.Properties)) {
		p := tool.Input.Properties[name]
		if len(p.Enum) == 0 {
			continue
		}
		var more []map[string]any
		for _, base := range bases {
			for _, value := range p.Enum {
				next := maps.Clone(base)
				next[name] = value
				more = append(more, next)
			}
		}
		if slices.Contains(tool.Input.Required, name) {
			bases = more
		} else {
			bases = append(bases, more...)
		}
	}
	for _, base := range bases {
		all = append(all, base)
		for _, id := range h.ids {
			every := maps.Clone(base)
			for name, p := range tool.Input.Properties {
				var value any = id
				switch {
				case len(p.Enum) > 0 || p.Type != "string" && p.Items.Type != "string":
					continue
				case p.Type == "array":
					value = []string{id}
				}
				one := maps.Clone(base)
				for _, needed := range tool.Input.Required {
					if _, has := one[needed]; !has {
						one[needed] = id
					}
				}
				one[name] = value
				if !slices.Contains([]string{"mode", "format", "json_path", "grep", "lines", "bytes", "search"}, name) {
					every[name] = value
				}
				all = append(all, one)
			}
			all = append(all, every)
		}
	}
	return all
}

// state is what the first tenant sees of what it has.
func (h *hosted) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(h.call(t, "admin", "memory", map[string]any{"action": "list"}))
	b.WriteString(h.call(t, "admin", "memory", map[string]any{"action": "get", "name": "plan"}))
	for _, of := range slices.Sorted(maps.Keys(h.ids)) {
		id := h.ids[of]
		b.WriteString(h.call(t, "admin", "read_artifact", map[string]any{"id": id}))
	}
	b.WriteString(h.call(t, "admin", "context_status", map[string]any{"session": h.ids["session"]}))
	return b.String()
}

// TestNothingOfATenantReachesAnother sends the ids of one tenant with the tokens of another, to every tool, resource and
// prompt that the server lists.
func TestNothingOfATenantReachesAnother(t *testing.T) {
	h := start(t)
	h.fill(t)
	before, asked := h.state(t), 0
	clean := func(what, answer string) {
		t.Helper()
		if asked++; strings.Contains(answer, hidden) || !strings.Contains(answer, `"jsonrpc"`) {
			t.Errorf("%s: %.500s", what, answer)
		}
	}
	for _, token := range []string{"foreign read", "foreign write", "foreign admin"} {
		for _, tool := range h.tools(t) {
			for _, arguments := range h.arguments(tool) {
				clean(fmt.Sprint(token, ": ", tool.Name, arguments), h.call(t, token, tool.Name, arguments))
			}
		}
		for _, o := range operations(t) {
			for _, arguments := range h.arguments(o) {
				if asked++; strings.Contains(h.run(t, token, o.Name, arguments), hidden) {
					t.Errorf("%s: %s %v", token, o.Name, arguments)
				}
			}
		}
		of := `"session":"` + h.ids["session"]
		if got := h.events(t, token); strings.Contains(got, of) || !strings.Contains(h.events(t, "read"), of) {
			t.Errorf("%s: events: %s", token, got)
		}
		for _, uri := range h.resources(t) {
			clean(token+": "+uri, h.ask(t, token, "resources/read", map[string]any{"uri": uri}))
		}
		for _, prompt := range h.prompts(t) {
			clean(fmt.Sprint(token, ": ", prompt), h.ask(t, token, "prompts/get", prompt))
		}
	}
	if asked < 1000 {
		t.Errorf("only %d requests", asked)
	}
	if after := h.state(t); after != before {
		t.Errorf("what the tenant has is no longer as it was:\n%.3000s\n%.3000s", before, after)
	}
}

// TestATokenThatOnlyReadsChangesNothing: with every tool, and everything that it can be told.
func TestATokenThatOnlyReadsChangesNothing(t *testing.T) {
	h := start(t)
	h.fill(t)
	before := h.state(t)
	for _, tool := range h.tools(t) {
		for _, arguments := range h.arguments(tool) {
			h.call(t, "read", tool.Name, arguments)
		}
	}
	for _, o := range operations(t) {
		for _, arguments := range h.arguments(o) {
			h.run(t, "read", o.Name, arguments)
		}
	}
	for _, id := range h.ids { // what a token that writes may not
		for _, arguments := range []map[string]any{{"handle": id}, {"text": hidden}, {"memory": id}} {
			if got := h.run(t, "write", "forget", arguments); !strings.Contains(got, `"denied"`) {
				t.Errorf("forget %v: %s", arguments, got)
			}
		}
	}
	if after := h.state(t); after != before {
		t.Errorf("what the tenant has is no longer as it was:\n%.3000s\n%.3000s", before, after)
	}
	if n := strings.Count(h.log.String(), "reason=role"); n < 20 {
		t.Errorf("%d refusals left a line", n)
	}
}

// TestTokensThatAreNoneReachNothing: those that were, and those that are for something else.
func TestTokensThatAreNoneReachNothing(t *testing.T) {
	h := start(t)
	for token, want := range map[string]int{"revoked": 401, "expired": 401, "none": 401, "metrics": 403} {
		paths := []string{"/mcp", "/metrics", "/readyz", "/", mcp.SchemaPath, mcp.EventsPath}
		for _, o := range mcp.Operations() {
			paths = append(paths, mcp.APIPath+o.Name)
		}
		for _, path := range paths {
			status, text := h.post(t, path, token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			if own := token == "metrics" && (path == "/metrics" || path == "/readyz"); !own && status != want {
				t.Errorf("%s of %s: %d %s", path, token, status, text)
			}
		}
	}
}

// operations returns those of the API, as the list of tools has them.
func operations(t *testing.T) (all []listed) {
	t.Helper()
	for _, o := range mcp.Operations() {
		l := listed{Name: o.Name}
		if err := json.Unmarshal(o.Input, &l.Input); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// run runs an operation of the API.
func (h *hosted) run(t *testing.T, token, operation string, arguments map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	_, text := h.post(t, mcp.APIPath+operation, token, string(raw))
	return text
}

// events returns the first events that a token sees, up to where nothing more has happened.
func (h *hosted) events(t *testing.T, token string) string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+mcp.EventsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.tokens[token])
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	defer answer.Body.Close()
	first := make([]byte, 4<<10)
	n, err := io.ReadAtLeast(answer.Body, first, 1)
	if err != nil {
		t.Fatal(err)
	}
	return string(first[:n])
}

// TestARemovedWorkspaceLeavesNothing: no byte of it, no token, and nothing of another one goes with it.
func TestARemovedWorkspaceLeavesNothing(t *testing.T) {
	h := start(t)
	h.fill(t)
	h.call(t, "foreign write", "memory", map[string]any{"action": "save", "name": "mine", "body": "stays"})
	remove := func(token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, h.url+hosting.WorkspacePath, nil)
		if err != nil {
			t.Fatal(err)
		}
		return h.send(t, r, token)
	}
	planted := func() (files int) {
		err := filepath.WalkDir(h.dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if strings.Contains(path, "shop"+string(filepath.Separator)) || bytes.Contains(raw, []byte(`"shop"`)) {
				files++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	for _, token := range []string{"read", "write"} {
		if status, text := remove(token); status != 403 || !strings.Contains(text, "denied") {
			t.Errorf("%s: %d %s", token, status, text)
		}
	}
	if n := planted(); n < 5 {
		t.Errorf("only %d files before", n)
	}
	if status, text := remove("admin"); status != 200 || !strings.Contains(text, `"removed":"shop"`) {
		t.Errorf("%d %s", status, text)
	}
	if n := planted(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	for _, token := range []string{"read", "write", "admin"} {
		if status, text := h.post(t, "/mcp", token, "{}"); status != 401 {
			t.Errorf("%s: %d %s", token, status, text)
		}
	}
	got := h.call(t, "foreign read", "memory", map[string]any{"action": "get", "name": "mine"})
	if !strings.Contains(got, "stays") {
		t.Errorf("another workspace: %s", got)
	}
}

// list asks for a list of the server's.
func list[T any](t *testing.T, h *hosted, method, member string) []T {
	t.Helper()
	var a struct{ Result map[string]json.RawMessage }
	var all []T
	if err := json.Unmarshal([]byte(h.ask(t, "read", method, map[string]any{})), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(a.Result[member], &all); err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %d of them", method, err, len(all))
	}
	return all
}

func (h *hosted) tools(t *testing.T) []listed { return list[listed](t, h, "tools/list", "tools") }

// resources returns the addresses of all that the first tenant has.
func (h *hosted) resources(t *testing.T) (all []string) {
	for _, r := range list[struct{ URI string }](t, h, "resources/list", "resources") {
		all = append(all, r.URI)
	}
	for _, r := range list[struct{ URITemplate string }](t, h, "resources/templates/list", "resourceTemplates") {
		for _, id := range h.ids {
			all = append(all, r.URITemplate[:strings.IndexByte(r.URITemplate, '{')]+id)
		}
	}
	return all
}

// prompts returns the requests for prompts about what the first tenant has.
func (h *hosted) prompts(t *testing.T) (all []map[string]any) {
	for _, p := range list[struct {
		Name      string
		Arguments []struct{ Name string }
	}](t, h, "prompts/list", "prompts") {
		all = append(all, map[string]any{"name": p.Name})
		for _, a := range p.Arguments {
			for _, id := range h.ids {
				all = append(all, map[string]any{"name": p.Name, "arguments": map[string]string{a.Name: id}})
			}
		}
	}
	return all
}

// TestTheDocumentOfTheAPIHasEveryRoute: what is below /v1/ is served and documented by one value, so that the document has what
// the server adds, and the server answers what the document has.
func TestTheDocumentOfTheAPIHasEveryRoute(t *testing.T) {
	h := start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+mcp.SchemaPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Paths map[string]map[string]any }
	if _, text := h.send(t, r, "read"); json.Unmarshal([]byte(text), &document) != nil {
		t.Fatal(text)
	}
	routes := map[string]bool{"GET " + mcp.SchemaPath: true, "GET " + mcp.EventsPath: true,
		"DELETE " + hosting.WorkspacePath: true}
	for _, o := range mcp.Operations() {
		routes["POST "+mcp.APIPath+o.Name] = true
	}
	for path, methods := range document.Paths {
		for method := range methods {
			route := strings.ToUpper(method) + " " + path
			if !routes[route] {
				t.Errorf("%s is documented and not known here", route)
			}
			delete(routes, route)
			if path == mcp.EventsPath {
				h.events(t, "read")
				continue
			}
			body := strings.NewReader("{")
			r, err := http.NewRequestWithContext(t.Context(), strings.ToUpper(method), h.url+path, body)
			if err != nil {
				t.Fatal(err)
			}
			if status, text := h.send(t, r, "read"); status != 200 && status != 400 && status != 403 {
				t.Errorf("%s: %d %s", route, status, text)
			}
		}
	}
	for route := range routes {
		t.Errorf("%s is served and not documented", route)
	}
}
