package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/paths"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// The tools by which agents read context graphs of their workspace in parts. They are offered where the person who starts the server
// asks for them: each request pays for a tool.

func graphTools() []tool { return []tool{graphBlocksTool(), graphPromptTool()} }

// graphProperties are the arguments that both have.
const graphProperties = `"after":{"type":"integer","description":"see next"},"limit":{"type":"integer"}`

// graphOutput is the schema of graphResult.
const graphOutput = `{"type":"object","properties":{"text":{"type":"string"},"tokens":{"type":"integer"},` +
	`"exact":{"type":"boolean"},"next":{"type":"object","description":"a call for what follows"}},` +
	`"required":["text","tokens"]}`

// documents is why the answers of both are silent about what the ledger has.
const documents = "it reads documents of the workspace, and nothing of the ledger"

func graphBlocksTool() tool {
	return tool{
		name:        "graph_blocks",
		description: "Blocks and operations of a context graph (a Markdown file) with their tokens; with text, what a block says.",
		does:        "lists the blocks of a context graph with their sizes, or reads one",
		hints:       hints{readOnly: true, idempotent: true},
		input: `{"type":"object","properties":{"file":{"type":"string"},` +
			`"block":{"type":"string","description":"path, or path/* for what is below"},` +
			`"text":{"type":"boolean"},` + graphProperties + `},"required":["file"]}`,
		output:  graphOutput,
		forms:   map[string]string{"file": `"docs/plan.md"`, "block": `"goal/scope"`, "after": "8000", "limit": "8000"},
		longest: 2 * limits.ArtifactTextMax,
		secrets: "silent", why: documents,
		calls: []string{`{"file":"graph.md"}`, `{"file":"graph.md","block":"graph","text":true}`},
		run:   takes(graphBlocks),
	}
}

func graphPromptTool() tool {
	return tool{
		name:        "graph_prompt",
		description: "What one operation of a context graph would send, exactly, with the tokens of each part. Nothing is run.",
		does:        "shows what an operation of a context graph would send, with the sizes of its parts",
		hints:       hints{readOnly: true, idempotent: true},
		input: `{"type":"object","properties":{"file":{"type":"string"},` +
			`"operation":{"type":"string","description":"a line of it, or the path of its block"},` +
			graphProperties + `},"required":["file","operation"]}`,
		output:  graphOutput,
		forms:   map[string]string{"file": `"docs/plan.md"`, "operation": `"12"`, "after": "8000", "limit": "8000"},
		longest: 2 * limits.ArtifactTextMax,
		secrets: "silent", why: documents,
		calls: []string{`{"file":"graph.md","operation":"graph"}`},
		run:   takes(graphPrompt),
	}
}

// graphArgs are the arguments of the tools.
type graphArgs struct {
	File      string `json:"file"`
	Block     string `json:"block,omitempty"`
	Text      bool   `json:"text,omitempty"`
	Operation string `json:"operation,omitempty"`
	After     int64  `json:"after,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// graphResult is the result of the tools.
type graphResult struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"` // of all that the text is of
	Exact  bool   `json:"exact"`
	Next   *next  `json:"next,omitempty"` // absent when nothing is left
}

// openGraph is the document of a call.
type openGraph struct {
	*graph.Document
	*graph.Costs
	count func(named string) graph.Counting
}

// graph reads the document that a call names. Errors: unavailable where there is no workspace on this machine; invalid for
// another file; denied for one outside; those of files.Reader.Read.
func (c *call) graph(ctx context.Context, name string) (*openGraph, error) {
	root, err := c.tree(ctx)
	if err != nil {
		return nil, err
	}
	if root == "" { // a hosted workspace, or a server that was started nowhere
		return nil, fault.New(fault.Unavailable, "mcp.graph", "this workspace has no files on this machine").
			WithHint("start ctxmcp in the workspace, or with --workspace")
	}
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".md" && ext != ".ctx" {
		return nil, fault.New(fault.Invalid, "mcp.graph", "%s is no .md or .ctx file", oneLine(name, 200))
	}
	models, settings := tokens.Builtin(), graph.Settings{}
	if c.o.Models != nil {
		models = c.o.Models(root)
	}
	if c.o.Graph != nil {
		settings = c.o.Graph(root)
	}
	if below, is := paths.Below(root, filepath.ToSlash(name)); is {
		name = below
	}
	reader, err := files.Open(root, settings)
	if err != nil {
		return nil, err
	}
	defer reader.Close() // only read
	d, err := reader.Read("", name)
	if errors.Is(err, graph.ErrOutside) {
		return nil, fault.New(fault.Denied, "mcp.graph", "%s is outside of the workspace", oneLine(name, 200))
	}
	if err != nil {
		return nil, err
	}
	o := reader.Options(d, models, "", func(model string) tokens.Counter {
		counter, _ := ledger.CounterOf(ctx, c.api, models, model) // else without what was learnt
		return counter
	})
	return &openGraph{d, d.Costs(o), o.Count}, nil
}

// graphBlocks runs graph_blocks.
func graphBlocks(ctx context.Context, c *call, a graphArgs) (reply, error) {
	g, err := c.graph(ctx, a.File)
	if err != nil {
		return reply{}, err
	}
	r := graph.Reference{}
	tree := []*graph.Node{g.Tree(g.Blocks[0], g.Costs)}
	if a.Block != "" {
		if r, err = g.Refer(a.Block); err != nil {
			return reply{}, err
		}
		tree[0] = g.Tree(g.Find(r.Path).Block, g.Costs)
	}
	if a.Block == "" || r.Below {
		tree = tree[0].Nodes
	}
	var texts []string
	var b strings.Builder
	n := 0
	switch {
	case a.Text && a.Block == "":
		return reply{}, fault.New(fault.Invalid, "mcp.graph_blocks", "text needs the path of a block").
			WithHint("without text, the answer lists the blocks")
	case a.Text:
		for _, block := range g.Select(r) {
			texts = append(texts, g.Text(block))
			n += g.Size(block)
		}
		b.WriteString(strings.Join(texts, "\n\n"))
	default:
		for _, node := range tree {
			n += node.All
			g.list(&b, node, 0)
		}
	}
	head := fmt.Sprintf("%s of %s: %s", blockName(a.Block), oneLine(g.Path, 200), g.Said(n).Tokens())
	return c.graphPage("graph_blocks", a, head, b.String(), n, g.Exact)
}

// blockName returns how the head of an answer calls a block.
func blockName(path string) string {
	if path == "" {
		return "all blocks"
	}
	return oneLine(path, 200)
}

// list writes a line for a node, and for each in it.
func (g *openGraph) list(b *strings.Builder, n *graph.Node, deep int) {
	fmt.Fprintf(b, "%s- %s, line %d: ", strings.Repeat("  ", deep), oneLine(n.Name, 200), n.Line)
	switch {
	case n.Kind != "block" && n.Tokens == 0:
		b.WriteString("sends nothing\n")
	case n.Kind != "block":
		fmt.Fprintf(b, "sends %s\n", n.Said(n.Tokens))
	case n.All == n.Tokens:
		fmt.Fprintf(b, "%s\n", n.Said(n.Tokens))
	default:
		fmt.Fprintf(b, "%s, with all below %s\n", n.Said(n.Tokens), n.Said(n.All))
	}
	for _, in := range n.Nodes {
		g.list(b, in, deep+1)
	}
}

// graphPrompt runs graph_prompt.
func graphPrompt(ctx context.Context, c *call, a graphArgs) (reply, error) {
	g, err := c.graph(ctx, a.File)
	if err != nil {
		return reply{}, err
	}
	o, err := g.Operation(a.Operation)
	if err != nil {
		return reply{}, err
	}
	line, _ := g.Place(o.At.From)
	cost, sends := g.Of(o)
	count, parts := g.count(cost.Model).Of, []string(nil)
	var b strings.Builder
	for _, m := range g.Request(o) {
		from, n := oneLine(m.Part(), 200), cost.Said(count(m.Text))
		if len(parts) < maxParts {
			parts = append(parts, from+" "+n.String())
		}
		fmt.Fprintf(&b, "--- %s, %s\n%s\n\n", oneLine(m.Head(), 200), n.Tokens(), m.Text)
	}
	sent, what := cost.Said(cost.Total()).Tokens()+cost.Again(), strings.Join(parts, ", ")
	if !sends {
		sent, what = "nothing", g.Silent(o)
	}
	head := fmt.Sprintf("@%s, line %d of %s, sends %s: %s", o.Name, line, oneLine(g.Path, 200), sent, what)
	for _, mark := range graph.Legend(cost) {
		head += "; " + oneLine(mark, 600)
	}
	return c.graphPage("graph_prompt", a, head, b.String(), cost.Total(), cost.Exact)
}

// maxParts is how many parts of a prompt the first line of an answer names.
const maxParts = 20

// graphPage returns as much of a text as a call asks for, below a line that says what it is, and the call that reads on.
func (c *call) graphPage(name string, a graphArgs, head, text string, n int, exact bool) (reply, error) {
	out := graphResult{Tokens: n, Exact: exact}
	if text != "" {
		page, err := artifacts.Read(artifacts.Text([]byte(text)),
			artifacts.Selection{Bytes: strconv.FormatInt(a.After, 10) + "-", Limit: a.Limit})
		if err != nil {
			return reply{}, err
		}
		if out.Text = page.Text; page.Next != nil {
			from, _, _ := strings.Cut(page.Next.Bytes, "-")
			a.After, _ = strconv.ParseInt(from, 10, 64) // it was written by package artifacts
			out.Next = &next{c.o.ToolPrefix + name, []byte(plainJSON(a))}
		}
	}
	said := fmt.Sprintf("[%s]\n%s", head, out.Text)
	if out.Next != nil {
		said += fmt.Sprintf("\n[next: %s %s]", out.Next.Tool, out.Next.Arguments)
	}
	return reply{out, said}, nil
}
