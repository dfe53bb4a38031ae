package carried_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
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
				Counter: tokens.Builtin().For(model)})
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
		as          string
	}{
		{"", "claude-code", claude.Tokens, "claude-code"},
		{`"ctxledger": {"command": "ctxmcp", "alwaysLoad": true}`, "claude-code", claude.Tokens, "claude-code"},
		{`"ctxledger": {"command": "ctxmcp"}`, "claude-code", overhead.Names, "claude-code"},
		{"", "another", overhead.Tokens, ""},
	} {
		root := t.TempDir()
		servers := []byte(`{"mcpServers": {` + c.entry + `}}`)
		if err := os.WriteFile(filepath.Join(root, ".mcp.json"), servers, 0o600); err != nil {
			t.Fatal(err)
		}
		e := env.Env{Now: time.Now, Home: t.TempDir(), Lookup: func(string) string { return "" }}
		r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: root, Env: e,
			Counter: tokens.O200kBase.Counter()})
		if n, as := registry.OwnCost(r, c.host); n != c.want || as != c.as {
			t.Errorf("%q of %s: %d, as %q lists them, not %d", c.entry, c.host, n, as, c.want)
		}
	}
}

// TestWhatFilesCarryIsTakenOutOfTheFixedPart: the parts add up to what was measured, and what cannot be a part of it is none.
func TestWhatFilesCarryIsTakenOutOfTheFixedPart(t *testing.T) {
	of := func(name string, n int) ledger.Category {
		return ledger.Category{Name: name, Tokens: tokens.Count{N: n, Exact: true, Upper: n}}
	}
	r := carried.Report{Hosts: []carried.Host{{Name: "claude-code", Parts: []carried.Part{
		{Kind: carried.Memory, Carried: of("", 80).Tokens}, {Kind: carried.Rule, Carried: of("", 13).Tokens},
		{Kind: carried.Skill, Carried: of("", 7).Tokens}}}}}
	for _, c := range []struct {
		host  string
		fixed int
		want  string
	}{
		{"claude-code", 5_000, "user 10, system prompt and tools 4900, memory files 93, skills, agents and commands 7"},
		{"claude-code", 50, "user 10, system prompt and tools 50"},
		{"codex", 5_000, "user 10, system prompt and tools 5000"},
	} {
		var got []string
		for _, x := range r.Explain([]ledger.Category{of("user", 10), of(ledger.CategoryFixed, c.fixed)}, c.host) {
			got = append(got, fmt.Sprintf("%s %d", x.Name, x.Tokens.N))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s, %d: %q", c.host, c.fixed, got)
		}
	}
}
