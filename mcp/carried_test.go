package mcp

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// TestContextStatusSaysWhatEveryRequestCarries: files with what the session has paid for them, and servers with how often
// it called them, but for this one. What a configuration has besides their names may be secret.
func TestContextStatusSaysWhatEveryRequestCarries(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{"CLAUDE.md": strings.Repeat("Prices are in cents.\n", 300),
		"ctxledger.yaml": "index: {references: [CLAUDE.md]}\n",
		".mcp.json": `{"mcpServers": {"docs": {"command": "docs", "env": {"KEY": "hunter2"}},
			"ctxledger": {"command": "/usr/local/bin/ctxmcp"}}}`} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	f := newFixture(t, func(o *Options) { o.Env.Home = home })
	f.tree = root
	c := connect(t, f.Server, "tester")
	raw, err := os.ReadFile(shopFile)
	if err != nil {
		t.Fatal(err)
	}
	session := filepath.Join(t.TempDir(), "session.jsonl") // of a model whose prices are known
	raw = bytes.ReplaceAll(raw, []byte(`"model":"scripted"`), []byte(`"model":"claude-sonnet-4-5"`))
	raw = bytes.ReplaceAll(raw, []byte(shopRoot), []byte(root))
	raw = bytes.ReplaceAll(raw, []byte(`"timestamp":"2026-`), []byte(`"timestamp":"2126-`)) // after the files
	if err := os.WriteFile(session, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := agents.Import(t.Context(), f.local, agents.Source{Path: session}, nil)
	if err != nil {
		t.Fatal(err)
	}
	st, text := do[statusResult](t, c, "context_status", args{"session": r.Session})
	if len(st.Carried) != 1 || st.Carried[0].Name != "memory CLAUDE.md" || len(st.Servers) != 1 ||
		st.Servers[0].Name != "docs" || st.Servers[0].Sessions != 1 || st.Servers[0].Calls != 0 {
		t.Errorf("carried: %+v", st.carriedResult)
	}
	if st.Dollars == nil || *st.Dollars <= 0 {
		t.Errorf("the session paid %v for it", st.Dollars)
	}
	if st.Listed == nil || st.Listed.Tokens.N == 0 || st.Listed.Tokens.Exact {
		t.Errorf("the index: %+v", st.Listed)
	}
	contains(t, text, "files in every request (≈$", "- memory CLAUDE.md: ",
		"when a session begins, the index of ctxledger.yaml is sent: ≈",
		"whose cost is unknown:\n- docs: not used in the last session")
	report := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: env.Env{Home: home,
		Lookup: func(string) string { return "" }},
		Meter: carried.For(ledger.Meter{Counter: tokens.Builtin().For("")})})
	config := report.Hosts[0].Parts[slices.IndexFunc(report.Hosts[0].Parts, func(p carried.Part) bool {
		return p.Name == "docs"
	})].Config.Digest()
	_, err = f.local.KeepServer(t.Context(), ledger.KeepServerRequest{Place: "docs", AskedServer: ledger.AskedServer{
		Config: config, Tools: []ledger.AskedTool{{Name: "find", Tokens: 400}}}})
	if err != nil {
		t.Fatal(err)
	}
	st, text = do[statusResult](t, c, "context_status", args{"session": r.Session})
	if s := st.Servers[0]; s.Tools != 1 || s.Tokens == nil || s.Tokens.N == 0 || s.Later == nil || s.Later.N < 400 {
		t.Errorf("asked: %+v", s)
	}
	contains(t, text, "and MCP servers that were asked for their tools:\n- docs: ≈", "when the model searches for its tools, 1 tool, "+
		"asked on ", "; not used in the last session")
	before := filepath.Join(t.TempDir(), "before.jsonl") // a session that ended before the files were written
	if err := os.WriteFile(before, bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte(`"timestamp":"2126-`),
		[]byte(`"timestamp":"2025-`)), []byte(`"sessionId":"`), []byte(`"sessionId":"0`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = agents.Import(t.Context(), f.local, agents.Source{Path: before}, nil); err != nil {
		t.Fatal(err)
	}
	if st, text := do[statusResult](t, c, "context_status", args{"session": r.Session}); st.Dollars != nil {
		t.Errorf("the session paid for what was written after it:\n%s", text)
	}
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown:\n%s", text)
	}
}
