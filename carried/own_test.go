package carried_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp/overhead"
	"ctxledger.dev/tokens"
)

// TestOurOwnServerIsKnownWithoutAsking: its cost is the one that status and context_status tell, whatever the model, and
// that of a server with another program stays unknown.
func TestOurOwnServerIsKnownWithoutAsking(t *testing.T) {
	const own, named = overhead.Tokens, overhead.Names
	listed := registry.ClientOf("claude-code")
	claude := listed.Tokens
	for entry, want := range map[string]struct {
		claude, later, cursor int
		unknown               bool
	}{
		`{"command": "/opt/bin/ctxmcp", "args": [], "alwaysLoad": true}`: {claude: claude, cursor: own},
		`{"command": "ctxmcp"}`:                             {claude: named, later: claude, cursor: own},
		`{"command": "ctxmcp", "args": ["--structured"]}`:   {unknown: true}, // a longer list
		`{"command": "/opt/bin/other", "args": ["ctxmcp"]}`: {unknown: true},
	} {
		root := t.TempDir()
		for _, name := range []string{".mcp.json", ".cursor/mcp.json"} {
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(`{"mcpServers": {"ctxledger": `+entry+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
		for _, model := range []string{"gpt-5", "claude-opus-4-8"} {
			r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
				Meter: carried.For(ledger.Meter{Counter: tokens.Builtin().For(model)})})
			if len(r.Hosts) != 2 {
				t.Fatalf("%+v", r.Hosts)
			}
			for _, h := range r.Hosts {
				p, n := h.Parts[0], want.cursor
				if h.Name == "claude-code" {
					n = want.claude
					if p.Later.N != want.later {
						t.Errorf("%s: %s later, not %d", entry, p.Later, want.later)
					}
				}
				if p.Carried.N != n || h.Carried.N != n || p.Unknown != want.unknown || p.Off() ||
					(p.Source() == "") != want.unknown {
					t.Errorf("%s of %s for %s: %+v, %q; want %d", entry, h.Name, model, p, p.Source(), n)
				}
			}
		}
	}
}

// TestTheCostOfOurToolsIsThatOfTheAgent: as its configuration has them loaded, else as it would list them. What status and
// context_status said differed where no configuration that is read names our server.
func TestTheCostOfOurToolsIsThatOfTheAgent(t *testing.T) {
	claude := registry.ClientOf("claude-code")
	for _, c := range []struct {
		entry, host string
		want        int
		as, form    string
	}{
		{"", "claude-code", claude.Tokens, "claude-code", "(o200k_base), as claude-code lists"},
		{`"ctxledger": {"command": "ctxmcp", "alwaysLoad": true}`, "claude-code", claude.Tokens, "claude-code",
			"(o200k_base), as claude-code lists"},
		{`"ctxledger": {"command": "ctxmcp"}`, "claude-code", overhead.Names, "claude-code",
			"by name, " + chars.Commas(claude.Tokens) + " once the model looks for them, as claude-code lists"},
		{"", "another", overhead.Tokens, "", "as ctxledger sends them"},
	} {
		root := t.TempDir()
		servers := []byte(`{"mcpServers": {` + c.entry + `}}`)
		if err := os.WriteFile(filepath.Join(root, ".mcp.json"), servers, 0o600); err != nil {
			t.Fatal(err)
		}
		e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
		r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
			Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
		if own := registry.OwnCostOf(r, c.host); own.Tokens != c.want || own.As != c.as ||
			!strings.Contains(own.String(), c.form) {
			t.Errorf("%q of %s: %s, not %d as %q lists them", c.entry, c.host, own, c.want, c.as)
		}
	}
}
