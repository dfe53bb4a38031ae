package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/engine"
	"ctxledger.dev/graph"
)

// planned is a context graph.
const planned = `# .system

Be terse.

# Goal {id=goal}

Find why the totals differ.

# Sources {id=sources}

Two of them.

## Orders {id=orders}

In cents.

@llm
prompt: Compare.
block: [goal, sources/*]
`

// newGraphs returns a server with the tools of context graphs, a client of it, and the workspace.
func newGraphs(t *testing.T, edit func(*Options)) (*fixture, *client.Client) {
	t.Helper()
	f := newFixture(t, func(o *Options) {
		if o.GraphTools = true; edit != nil {
			edit(o)
		}
	})
	f.tree = t.TempDir()
	put(t, f.tree, "docs/plan.md", planned)
	return f, connect(t, f.Server, "tester")
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheToolsOfGraphsAreOffered where the server is told to, and cost nothing elsewhere.
func TestTheToolsOfGraphsAreOffered(t *testing.T) {
	agent := func(o *Options) { o.Structured = false }
	f, c := newGraphs(t, agent)
	var names []string
	for _, tl := range listed(t, c) {
		names = append(names, tl.Name)
	}
	if got := strings.Join(names, " "); got != "changes compact_conversation context_status graph_blocks graph_prompt "+
		"memory read_artifact" {
		t.Errorf("the tools are %s", got)
	}
	without := newFixture(t, agent)
	if slices.ContainsFunc(listed(t, connect(t, without.Server, "another")), func(tl proto.Tool) bool {
		return strings.HasPrefix(tl.Name, "graph")
	}) {
		t.Error("they are offered unasked")
	}
	if cost := f.overhead() - without.overhead(); cost < 100 || cost > maxGraphTools {
		t.Errorf("they cost %d tokens of each request, the limit is %d", cost, maxGraphTools)
	}
}

// maxGraphTools is what both tools may take of each request, in tokens.
const maxGraphTools = 300

// TestBlocksAreReadByPath: the tree with its sizes, a part of it, and the text of a block alone.
func TestBlocksAreReadByPath(t *testing.T) {
	f, c := newGraphs(t, nil)
	for _, at := range []string{"docs/plan.md", filepath.Join(f.tree, "docs", "plan.md")} {
		all, text := do[graphResult](t, c, "graph_blocks", args{"file": at})
		const tree = `- .system, line 1: ≈7
- goal, line 5: ≈13
- sources, line 9: ≈11, with all below ≈21
  - orders, line 13: ≈10
    - @llm, line 17: sends ≈32
`
		if !strings.HasPrefix(text, "[all blocks of docs/plan.md: ≈41 tokens]\n"+tree) || all.Tokens != 41 ||
			all.Next != nil || all.Text != tree {
			t.Errorf("%s: %+v\n%s", at, all, text)
		}
	}
	part, _ := do[graphResult](t, c, "graph_blocks", args{"file": "docs/plan.md", "block": "sources/*"})
	if part.Text != "- orders, line 13: ≈10\n  - @llm, line 17: sends ≈32\n" || part.Tokens != 10 {
		t.Errorf("a part: %+v", part)
	}
	one, text := do[graphResult](t, c, "graph_blocks",
		args{"file": "docs/plan.md", "block": "sources/orders", "text": true})
	if one.Text != "## Orders {id=orders}\n\nIn cents." ||
		text != "[sources/orders of docs/plan.md: ≈10 tokens]\n"+one.Text {
		t.Errorf("a text: %+v\n%s", one, text)
	}
	for wrong, a := range map[string]args{
		`has no block "gaol"`:            {"file": "docs/plan.md", "block": "gaol"},
		"did you mean goal?":             {"file": "docs/plan.md", "block": "gaol"},
		"text needs the path of a block": {"file": "docs/plan.md", "text": true},
		"none.md does not exist":         {"file": "none.md"},
		"outside of the workspace":       {"file": "../plan.md"},
		"is no .md or .ctx file":         {"file": "docs/plan.txt"},
		"starts past the end":            {"file": "docs/plan.md", "after": 5000},
	} {
		if got := refused(t, c, "graph_blocks", a); !strings.Contains(got, wrong) {
			t.Errorf("%v: %s", a, got)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(f.tree, "link.md")); err != nil {
		t.Fatal(err)
	}
	contains(t, refused(t, c, "graph_blocks", args{"file": "link.md"}), "outside of the workspace")
}

// TestThePromptOfAnOperation is what graph.Request assembles, with the size of each part.
func TestThePromptOfAnOperation(t *testing.T) {
	_, c := newGraphs(t, nil)
	for _, operation := range []string{"17", "18", "sources/orders"} {
		r, text := do[graphResult](t, c, "graph_prompt", args{"file": "docs/plan.md", "operation": operation})
		if !strings.HasPrefix(text, "[@llm, line 17 of docs/plan.md, sends ≈32 tokens: system ≈7, block goal ≈13, "+
			"block sources/orders ≈10, prompt ≈2]\n--- system prompt, ≈7 tokens\n# .system\n") || r.Tokens != 32 {
			t.Errorf("%s: %+v\n%s", operation, r, text)
		}
	}
	if got := refused(t, c, "graph_prompt", args{"file": "docs/plan.md", "operation": "1"}); !strings.Contains(got,
		"name a line of one: 17 (@llm)") {
		t.Error(got)
	}
}

// TestLongAnswersAreReadInPages: the pages of an answer join to all of it, and none is longer than asked for.
func TestLongAnswersAreReadInPages(t *testing.T) {
	f, c := newGraphs(t, nil)
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "## Block %d {id=b%d}\n\nÄ %d.\n\n", i, i, i)
	}
	put(t, f.tree, "large.md", "# All {id=all}\n\n"+b.String()+"@llm\nblock: all/*\n")
	for tool, a := range map[string]args{
		"graph_blocks": {"file": "large.md"},
		"graph_prompt": {"file": "large.md", "operation": "b599", "limit": 1000},
	} {
		var whole strings.Builder
		pages, most := 0, 8000
		if n, ok := a["limit"].(int); ok {
			most = n
		}
		for a != nil {
			r, _ := do[graphResult](t, c, tool, a)
			whole.WriteString(r.Text)
			if pages++; len([]rune(r.Text)) > most || r.Text == "" {
				t.Fatalf("%s: page %d has %d characters", tool, pages, len([]rune(r.Text)))
			}
			if a = nil; r.Next == nil {
				break
			}
			if err := json.Unmarshal(r.Next.Arguments, &a); err != nil || r.Next.Tool != tool {
				t.Fatal(err, r.Next.Tool)
			}
		}
		if text := whole.String(); pages < 2 || !strings.Contains(text, "b599") || strings.Contains(text, "\ufffd") ||
			strings.Count(text, "- b300, ")+strings.Count(text, "Ä 300.") != 1 {
			t.Errorf("%s: %d pages, %d bytes", tool, pages, len(text))
		}
	}
}

// TestGraphsAreReadByTheSettings of the workspace.
func TestGraphsAreReadByTheSettings(t *testing.T) {
	_, c := newGraphs(t, func(o *Options) {
		o.Graph = func(string) graph.Settings { return graph.Settings{Compat: graph.Fractalic} }
	})
	_, text := do[graphResult](t, c, "graph_prompt", args{"file": "docs/plan.md", "operation": "17"})
	contains(t, text, "block goal, sources, sources/orders ")
}

// TestWithoutAWorkspaceThereAreNoGraphs: hosted workspaces have no files, and no file of the server is read for them.
func TestWithoutAWorkspaceThereAreNoGraphs(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Hosted: true, Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return kept{local}, "", nil },
		Options{Version: "test", Env: testEnv(), GraphTools: true})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, "tester")
	contains(t, refused(t, c, "graph_blocks", args{"file": "plan.md"}), "this workspace has no files on this machine")
	contains(t, refused(t, c, "graph_prompt", args{"file": "/plan.md", "operation": "1"}),
		"this workspace has no files on this machine")
}
