package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/carried/library"
	"ctxledger.dev/given"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// TestHostsWithoutHooksAreToldWhereTheyRun: in the instructions, without what the host itself tells its model; a host with
// hooks of ours is told by those. What is told counts as our own.
func TestHostsWithoutHooksAreToldWhereTheyRun(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{".gitignore": "/dist\n", "schema.sql": "create table users();\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hooked := t.TempDir()
	settings := filepath.Join(hooked, ".claude", "settings.local.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/bin/ctxhook"}]}]}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	all := given.Told{Environment: true, Memory: true, Index: library.Options{References: []string{"schema.sql"}}}
	for _, c := range []struct {
		client     string
		root       string
		told       given.Told
		has, lacks []string
	}{
		{"somebody", root, all, []string{"\nOS: ", "\nWorking directory: " + root, "\nArchitecture: ", "\nDate/time: ",
			"/dist", "[feedback] rule: Ask before you deploy.", "schema.sql"}, nil},
		{"codex-mcp-client", root, all, []string{"\nOS: ", "\nDate/time: ", "/dist", "rule", "schema.sql"},
			[]string{"\nShell: ", "\nWorking directory: "}},
		{"gemini-cli-mcp-client", root, all, []string{"\nArchitecture: "}, []string{"\nOS: ", "\nWorking directory: "}},
		{"opencode", root, all, []string{"\nArchitecture: "}, []string{"\nOS: ", "\nWorking directory: ", "\nShell"}},
		{"claude-code", root, all, []string{"\nArchitecture: ", "/dist", "rule"},
			[]string{"\nOS: ", "\nWorking directory: ", "\nShell"}},
		{"claude-code", hooked, all, nil, []string{"Runtime", "rule"}},
		{"somebody", root, given.Told{}, nil, []string{"Runtime", "rule", "/dist"}},
		{"somebody", "", all, []string{"\nOS: "}, []string{"\nWorking directory: ", "rule", "/dist"}},
	} {
		for era, options := range eras {
			f := newFixture(t, func(o *Options) {
				o.Root, o.Given = c.root, func(string) (spec.Spec, given.Told) { return spec.Spec{}, c.told }
			})
			_, err := f.local.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "rule",
				Type: "feedback", Body: "Ask before you deploy."}})
			if err != nil {
				t.Fatal(err)
			}
			began, text := greeted(t, f, c.client, options)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in %q", c.client, era, want, text)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(text, not) {
					t.Errorf("%s, %s: %q in %q", c.client, era, not, text)
				}
			}
			plain, _ := New(nil, Options{Env: testEnv(), Structured: true})
			if !strings.HasPrefix(text, plain.instructions()) || len(c.has) == 0 && text != plain.instructions() {
				t.Errorf("%s, %s: the instructions are %q", c.client, era, text)
			}
			if c.client == "somebody" {
				st, _ := do[statusResult](t, began, "context_status", nil)
				if more := st.Overhead - f.overhead(); more > 0 != (len(c.has) > 0) || more > given.MaxTold {
					t.Errorf("%s: our own overhead is %d, %d more than the list", era, st.Overhead, more)
				}
			}
		}
	}
}

// greeted connects a client and returns what it is told.
func greeted(t *testing.T, f *fixture, name string, options []client.ClientOption) (*client.Client, string) {
	t.Helper()
	c := client.NewClient(handled{f.Server, f.Connect(nil)}, options...)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var r proto.InitializeRequest
	r.Params.ProtocolVersion = "2025-11-25"
	r.Params.ClientInfo = proto.Implementation{Name: name, Version: "1"}
	answer, err := c.Initialize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c, answer.Instructions
}
