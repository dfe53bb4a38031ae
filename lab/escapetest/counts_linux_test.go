package escapetest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/carried/library"
	"ctxledger.dev/given"
	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp"
	"ctxledger.dev/memory"
	"ctxledger.dev/tokens"
)

// tree is what is counted; the files outside have more tokens and other names.
var (
	counted = map[string]string{"a.txt": words(3), "d/b.txt": words(5), "deep/er/c.txt": words(7),
		".gitignore": "*.log\n"}
	uncounted = map[string]string{
		"a.txt": words(many), "d/b.txt": words(many), "d/" + canary + ".txt": words(many), "deep/er/c.txt": words(many),
		".gitignore": "*.txt\n",
	}
	countedAt = []target{{path: "a.txt"}, {path: "d", dir: true}, {path: "deep/er", dir: true},
		{path: "deep", dir: true}}
)

// large matches a count that nothing inside has.
var large = regexp.MustCompile(`"(tokens|total)": ?[0-9]{4}`)

var countSubject = subject{
	name: "count DIRECTORY", inside: counted, outside: uncounted, targets: countedAt,
	leaks: large.MatchString,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(ctx context.Context) (string, bool) {
			return p.run(ctx, p.base, "count", "--json", p.inside)
		}
	},
}

var contextSubject = subject{
	name:    "context",
	inside:  map[string]string{"CLAUDE.md": "@d/rules.md\n", "d/rules.md": words(5), ".claude/rules/a.md": words(3)},
	outside: map[string]string{"CLAUDE.md": words(many), "d/rules.md": words(many), ".claude/rules/a.md": words(many)},
	targets: []target{{path: "CLAUDE.md"}, {path: "d", dir: true}, {path: ".claude/rules", dir: true},
		{path: "d/rules.md"}},
	leaks: regexp.MustCompile(`"n": ?[0-9]{4}`).MatchString,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		o := carried.Options{Agents: registry.Carried(), Root: p.inside, Env: p.env(p.inside),
			Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})}
		return func(ctx context.Context) (string, bool) {
			r := carried.Find(ctx, o)
			parts, bad := 0, false
			for _, h := range r.Hosts {
				h.Each(func(part *carried.Part) {
					parts++
					bad = bad || len(part.Problems) > 0
				})
			}
			raw, err := json.Marshal(r)
			must(t, err)
			return string(raw), bad || parts < 3
		}
	},
}

// indexSubject lists what can be read on demand.
var indexSubject = subject{
	name: "index",
	inside: map[string]string{"skills/a/SKILL.md": "---\nname: a\ndescription: inside\n---\n",
		"docs/b.md": "# inside\n", "notes/MEMORY.md": "- [c](c.md) — inside\n", "notes/c.md": "inside"},
	outside: map[string]string{"skills/a/SKILL.md": "---\nname: a\ndescription: " + canary + "\n---\n",
		"docs/b.md": "# " + canary + "\n", "docs/" + canary + ".md": "# x\n",
		"notes/MEMORY.md": "- [c](c.md) — " + canary + "\n", "notes/c.md": canary},
	targets: []target{{path: "skills", dir: true}, {path: "skills/a", dir: true}, {path: "skills/a/SKILL.md"},
		{path: "docs", dir: true}, {path: "docs/b.md"}, {path: "notes", dir: true}, {path: "notes/MEMORY.md"}},
	start: func(_ testing.TB, p *place) func(context.Context) (string, bool) {
		o := library.Options{Root: p.inside, Skills: []string{"skills"}, References: []string{"docs"},
			Memories: []string{"notes"}}
		return func(ctx context.Context) (string, bool) {
			block := library.Find(ctx, o).Block(many, memory.Tokens)
			return block, strings.Count(block, "inside") < 3
		}
	},
}

// givenSubject reads a file of the workspace for what an agent is given.
var givenSubject = subject{
	name: "given", inside: map[string]string{".gitignore": "/inside\n"}, outside: map[string]string{".gitignore": canary + "\n"},
	targets: []target{{path: ".gitignore"}},
	start: func(_ testing.TB, p *place) func(context.Context) (string, bool) {
		return func(context.Context) (string, bool) {
			block := given.Ignored(p.inside)
			return block, !strings.Contains(block, "/inside")
		}
	},
}

// graphSubject reads a context graph and what it imports.
var graphSubject = subject{
	name: "graph",
	inside: map[string]string{"a.md": "# A {id=inside}\n\n@import\nfile: d/b.md\n\n@llm\nblock: inside\n",
		"d/b.md": "# B {id=inside-b}\n", "settings.toml": "[settings.inside]\nmodel = \"m\"\n"},
	outside: map[string]string{"a.md": "# " + canary + "\n\n@llm\nprompt: " + canary + "\n",
		"d/b.md": "# B {id=" + canary + "}\n", "settings.toml": "[settings." + canary + "]\nmodel = \"m\"\n"},
	targets: []target{{path: "a.md"}, {path: "d", dir: true}, {path: "d/b.md"}, {path: "settings.toml"}},
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		return func(context.Context) (string, bool) {
			r, err := files.Open(p.inside, graph.Settings{})
			must(t, err)
			defer r.Close() // only read
			a, err := r.Read("", "a.md")
			if err != nil {
				return err.Error(), true
			}
			known := r.Options(a, tokens.Builtin(), "", nil).Known
			if known != nil && known(canary) {
				return canary, false
			}
			b, err := r.Read("a.md", "d/b.md")
			if err != nil {
				return a.Source() + err.Error(), true
			}
			return a.Source() + b.Source(), known == nil || !known("inside") || !strings.Contains(a.Source(), "inside") ||
				!strings.Contains(b.Source(), "inside-b")
		}
	},
}

var workspaceCountSubject = subject{
	name: "count in the editor", inside: counted, outside: uncounted, targets: countedAt,
	leaks: large.MatchString,
	start: func(t testing.TB, p *place) func(context.Context) (string, bool) {
		s := lsp.New(lsp.Options{
			Version: "test", Env: env.System(), Log: slog.New(slog.DiscardHandler),
			Find: func([]string) (lsp.Workspace, error) {
				return lsp.Workspace{Root: p.inside}, nil
			},
		})
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		editor := scriptededitor.New(toServer, fromServer)
		served := make(chan error, 1)
		go func() { served <- s.Serve(context.Background(), in, out); in.Close(); out.Close() }() // pipes
		t.Cleanup(func() {
			if err := editor.Leave(context.Background()); err != nil {
				t.Error(err)
			}
			_ = editor.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
		if _, err := editor.Initialize(t.Context(), nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context) (string, bool) {
			var counted struct {
				Files, Failed int
			}
			var raw json.RawMessage
			err := editor.Call(ctx, "workspace/executeCommand",
				map[string]any{"command": "ctxledger.server.countWorkspace"}, &raw)
			if err != nil {
				return err.Error(), true
			}
			if err := json.Unmarshal(raw, &counted); err != nil {
				t.Error(err)
			}
			return string(raw), counted.Files < len(uncounted)-1
		}
	},
}
