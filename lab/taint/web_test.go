package taint

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/mcp"
	"ctxledger.dev/transcript"
)

// web asks the API for programs for what they have recorded, for what happened, and for what there is not.
func (p *place) web(s *search, list []canary) {
	p.t.Helper()
	e := p.env()
	e.Now = env.System().Now // of connections
	local, err := engine.Open(p.t.Context(), engine.Options{State: filepath.Join(p.state, "hosted"), Hosted: true, Env: e})
	if err != nil {
		p.t.Fatal(err)
	}
	served, err := mcp.New(func(context.Context, []string) (mcp.Ledger, string, error) { return unclosed{local}, "", nil },
		mcp.Options{Env: e})
	if err != nil {
		p.t.Fatal(err)
	}
	mux := http.NewServeMux()
	stream := func(pattern string, h http.HandlerFunc) { mux.Handle(pattern, h) }
	if err := served.API(mux.Handle, stream); err != nil {
		p.t.Fatal(err)
	}
	ask := func(operation string, arguments map[string]any) string {
		raw, err := json.Marshal(arguments)
		if err != nil {
			p.t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, mcp.APIPath+url.PathEscape(operation), strings.NewReader(string(raw)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Body.String()
	}
	var session struct{ Session string }
	messages := json.RawMessage(handedIn(p.t, transcript.Anthropic, list[:min(len(list), 40)]))
	if err := json.Unmarshal([]byte(ask("append_messages", map[string]any{"messages": messages})), &session); err != nil {
		p.t.Fatal(err)
	}
	for _, o := range mcp.Operations() {
		s.look(HTTP, "operations", o.Name, ask(o.Name, map[string]any{"session": session.Session}))
	}
	for _, c := range list[:min(len(list), 40)] {
		ask("memory", map[string]any{"action": "save", "name": name(c), "body": c.text})
		for _, operation := range []string{"view", "restore", "recover", c.text} {
			s.look(HTTP, "errors", operation, ask(operation, map[string]any{"session": c.text, "id": c.text}))
		}
		s.look(HTTP, "errors", "an argument", ask("view", map[string]any{c.text: 1}))
	}
	door := httptest.NewServer(mux)
	answer, err := door.Client().Get(door.URL + mcp.EventsPath)
	if err != nil {
		p.t.Fatal(err)
	}
	first := make([]byte, 64<<10)
	n, err := io.ReadAtLeast(answer.Body, first, 1)
	if err != nil {
		p.t.Error(err)
	}
	s.look(HTTP, "events", "", string(first[:n]))
	_ = answer.Body.Close() // it was only read from
	door.CloseClientConnections()
	door.Close()
	if err := local.Close(); err != nil {
		p.t.Error(err)
	}
}

// unclosed is a ledger that its clients do not close.
type unclosed struct{ mcp.Ledger }

func (unclosed) Close() error { return nil }
