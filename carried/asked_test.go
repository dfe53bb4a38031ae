package carried_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// serversOf finds the servers of a .mcp.json and of a configuration of Cursor, with what was asked of the first.
func serversOf(t *testing.T, asked string, entry string) map[string]carried.Part {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	find := func(entry string) carried.Report {
		write(".mcp.json", `{"mcpServers": {"docs": `+entry+`}}`)
		write(".cursor/mcp.json", `{"mcpServers": {"docs": `+entry+`}}`)
		e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
		return carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
			Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
	}
	config := ""
	for _, h := range find(asked).Hosts {
		for _, p := range h.Parts {
			config = p.Config.Digest()
		}
	}
	r := find(entry)
	r.Count(ledger.ToolUse{Servers: []ledger.AskedServer{{Config: "another"}, {Config: config, Instructions: 10,
		At: time.Date(2026, 11, 25, 23, 0, 0, 0, time.UTC), Tools: []ledger.AskedTool{
			{Name: "get", Tokens: 300}, {Name: "find", Tokens: 400}}}}}, root)
	out := map[string]carried.Part{}
	for _, h := range r.Hosts {
		unknown, n := 0, tokens.Count{}
		for _, p := range h.Parts {
			out[h.Name], n = p, carried.Plus(n, p.Carried)
			if p.Unknown {
				unknown++
			}
		}
		if h.Unknown != unknown || h.Carried.N != n.N {
			t.Errorf("%s: %d unknown and %v in every request, not %d and %v", h.Name, h.Unknown, h.Carried, unknown, n)
		}
	}
	return out
}

// TestAskedServers: definitions are in every request, where the agent does not look for tools; what was asked of another
// configuration does not count.
func TestAskedServers(t *testing.T) {
	const plain = `{"command": "x", "args": ["a"], "env": {"K": "1"}}`
	parts := serversOf(t, plain, plain)
	prefix := tokens.O200kBase.CountString("mcp__docs__")
	if p := parts["cursor"]; p.Unknown || p.Carried.N != 710+2*prefix || p.Carried.Exact || p.Later.N != 0 ||
		p.Source() != "2 tools, asked on 2026-11-25" || p.Heavy()[0].Name != "find" {
		t.Errorf("Cursor: %+v", p)
	}
	names := tokens.O200kBase.CountString("mcp__docs__get\nmcp__docs__find\n")
	if p := parts["claude-code"]; p.Unknown || p.Carried.N != 10+names || p.Later.N != 700+2*prefix || p.When == "" {
		t.Errorf("Claude Code: %+v", p)
	}
	always := strings.Replace(plain, "{", `{"alwaysLoad": true, `, 1)
	if p := serversOf(t, always, always)["claude-code"]; p.Carried.N != 710+2*prefix || p.Later.N != 0 {
		t.Errorf("always loaded: %+v", p)
	}
	for _, other := range []string{
		`{"command": "y", "args": ["a"], "env": {"K": "1"}}`, `{"command": "x", "args": ["b"], "env": {"K": "1"}}`,
		`{"command": "x", "args": ["a"], "env": {"K": "2"}}`, `{"url": "https://x"}`, always,
	} {
		for host, p := range serversOf(t, plain, other) {
			if !p.Unknown || !p.Asked.IsZero() || p.Off() {
				t.Errorf("%s of %s: %+v", other, host, p)
			}
		}
	}
	off := strings.Replace(plain, "{", `{"disabled": true, `, 1)
	if p := serversOf(t, off, off)["cursor"]; !p.Off() || p.Carried.N != 0 {
		t.Errorf("switched off: %+v", p)
	}
}

// TestADigestDoesNotDependOnTheFormOfAFile: what counts is the configuration, not how it is written.
func TestADigestDoesNotDependOnTheFormOfAFile(t *testing.T) {
	const one, other = `{"command": "x", "args": ["a"], "env": {"K": "1", "L": "2"}}`,
		"{ // mine\n\"env\": {\"L\": \"\\u0032\", \"K\": \"1\"},\n\"args\": [\"a\"], \"command\": \"x\",}"
	if p := serversOf(t, one, other)["cursor"]; p.Unknown {
		t.Errorf("%+v", p)
	}
}
