package ctxlsp

import (
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp"
)

// context asks what fills the window.
func (s *server) context(t *testing.T, session string) (c lsp.Context, err error) {
	t.Helper()
	err = s.Call(s.ctx, "ctxledger/context", map[string]any{"session": session}, &c)
	return c, err
}

// TestAPanelSeesTheWindowFill asks before there is a session, while one is written, of one that is not there.
func TestAPanelSeesTheWindowFill(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	s := p.start(t, "CLAUDE_CONFIG_DIR="+t.TempDir())
	s.inWorkspace(t, p, quiet)
	if c, err := s.context(t, ""); err != nil || c.Session != "" || c.Turns == nil || c.Categories == nil ||
		c.Sources == nil {
		t.Errorf("without a session: %+v, %v", c, err)
	}
	if c, err := s.context(t, "beef"); err == nil || !strings.Contains(err.Error(), `no session "beef"`) {
		t.Errorf("of an unknown session: %+v, %v", c, err)
	}
	s.leave(t)
}

// TestAPanelSeesASessionGrow follows a session whose words are hostile and hold a secret.
func TestAPanelSeesASessionGrow(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	p.put(t, "guide.md", guide)
	a := newAgent(t, p)
	a.write(t, "user", map[string]any{
		"role": "user", "content": "Use password=hunter2hunter2 \u202e\u001b[31mand <b>look</b>.\nThen more."})
	s := p.start(t, a.variables())
	s.inWorkspace(t, p, quiet)
	s.awaitStatus(t, func(st status) bool { return st.Session != "" && st.Held.N > 0 })
	a.read(t, "guide.md", guide)
	a.read(t, "guide.md", guide)
	st := s.awaitedContext(t, func(c lsp.Context) bool { return len(c.Sources) > 0 && c.Sources[0].Calls == 2 })
	if !st.Live || st.Host != "claude-code" || st.Model != "gpt-5" || len(st.Turns) != 2 || st.Earlier != 0 ||
		st.Measured != 15 {
		t.Errorf("%+v", st)
	}
	if x := st.Sources[0]; x.Kind != "file" || x.Name != "guide.md" || x.URI != p.uri("guide.md") {
		t.Errorf("the source is %+v", x)
	}
	first, last := st.Turns[0], st.Turns[1]
	if first.Request != "Please read." || !strings.HasPrefix(last.Request, "Use password=[masked:") ||
		!strings.HasSuffix(last.Request, `] \u202e\u001b[31mand <b>look</b>.`) {
		t.Errorf("requests %q and %q", first.Request, last.Request)
	}
	if last.Used != st.Used || first.Used.N >= last.Used.N || len(last.Filled) < 3 || sum(last.Filled) != st.Used.N {
		t.Errorf("turns %+v, %+v of %+v", first, last, st.Used)
	}
	if again, err := s.context(t, st.Session[:6]); err != nil || again.Session != st.Session {
		t.Errorf("by the beginning of its id: %+v, %v", again, err)
	}
	s.leave(t)
}

// awaitedContext asks for the content of the window until it satisfies ok.
func (s *server) awaitedContext(t *testing.T, ok func(lsp.Context) bool) lsp.Context {
	t.Helper()
	for {
		c, err := s.context(t, "")
		must(t, err)
		if ok(c) {
			return c
		}
		must(t, s.ctx.Err())
	}
}

// sum adds up what fills a view.
func sum(parts []ledger.Part) (n int) {
	for _, p := range parts {
		n += p.Tokens
	}
	return n
}
