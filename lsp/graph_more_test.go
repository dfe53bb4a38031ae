package lsp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/graph"
	"ctxledger.dev/graph/files"
	"ctxledger.dev/internal/testonly/scriptededitor"
)

// TestOneFigureForOneQuantity: the lens, the hover, the prompt and the command line say the same of each operation.
func TestOneFigureForOneQuantity(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "graph", "workflow.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "-- doc.md --\n")
	text, _, _ = strings.Cut(text, "-- ask --")
	g := openGraph(t, map[string]string{"doc.md": text})
	meter := g.first().snapshot().meter
	d := graph.Settings{}.Parse("doc.md", text)
	count := func(string) graph.Counting { return files.Counting(meter.Counter) }
	costs := d.Costs(graph.Options{Count: count}) // as ctxledger graph cost has them
	lenses, err := g.lenses(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range costs.Operations {
		line, _ := d.Place(c.Operation.At.From)
		if want := fmt.Sprintf("%d %d tokens · ", line, c.Total()); !strings.Contains("\n"+lenses, "\n"+want) {
			t.Errorf("the lenses\n%slack %q", lenses, want)
		}
		at := map[string]any{"position": scriptededitor.Position{Line: uint32(line - 1), Character: 2}}
		hover, err := g.hovers(t, at)
		if want := fmt.Sprintf("sends %d tokens", c.Total()); err != nil || !strings.Contains(hover, want) {
			t.Errorf("the hover %q lacks %q, %v", hover, want, err)
		}
		if want := fmt.Sprintf("system %d · blocks %d · text before it %d · prompt %d", c.System, c.Selected, c.Ambient,
			c.Prompt); !strings.Contains(hover, want) {
			t.Errorf("the hover %q lacks %q", hover, want)
		}
		var prompt struct {
			Tokens   struct{ N int }
			Messages []struct{ Tokens struct{ N int } }
		}
		if err := g.call("ctxledger/prompt", at, &prompt); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, m := range prompt.Messages {
			sum += m.Tokens.N
		}
		if prompt.Tokens.N != c.Total() || sum != c.Total() {
			t.Errorf("the prompt has %d tokens, its messages %d, the command line %d", prompt.Tokens.N, sum, c.Total())
		}
	}
}

// TestGraphsFollowEdits types at random: what is said is what is said of the text opened anew.
func TestGraphsFollowEdits(t *testing.T) {
	scraps := []string{"# A\n", "## B {id=b}\n", "\n", "text\n", "@llm\nprompt: x\nblock: b\n\n", "@", "l",
		"block: [a, b/*]\n", "```\n", "---\n", "😀", "\r\n"}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 45))
		g := openGraph(t, map[string]string{"doc.md": "# A\n\ntext\n"})
		buffer := g.buffer
		for version := 2; version < 40; version++ {
			lines := len(buffer.Lines())
			place := scriptededitor.Position{Line: uint32(r.IntN(lines)), Character: uint32(r.IntN(6))}
			at := scriptededitor.Range{Start: place, End: place}
			if r.IntN(4) == 0 {
				at.End.Line++
			}
			with := scraps[r.IntN(len(scraps))]
			buffer = buffer.Edit(at, with)
			if err := g.Change(g.uri, version, at, with); err != nil {
				t.Fatal(err)
			}
			if r.IntN(3) == 0 {
				continue // nothing is asked about this version
			}
			text := buffer.String()
			const anew = "untitled:anew.md"
			if err := g.Open(anew, "markdown", text); err != nil {
				t.Fatal(err)
			}
			for _, method := range []string{"codeLens", "semanticTokens/full", "foldingRange"} {
				var got, want json.RawMessage
				if err := g.call("textDocument/"+method, nil, &got); err != nil {
					t.Fatal(err)
				}
				if err := g.Call(g.ctx, "textDocument/"+method, scriptededitor.Document(anew, nil), &want); err != nil {
					t.Fatal(err)
				}
				if said := strings.ReplaceAll(string(got), g.uri, anew); said != string(want) {
					t.Fatalf("seed %d, version %d, %q: %s is %s, not %s", seed, version, text, method, said, want)
				}
			}
			if err := g.Notify("textDocument/didClose", scriptededitor.Document(anew, nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestMarkdownWithoutOperationsIsNotRead: nothing is parsed of a document in which no line begins with @, however it is edited.
func TestMarkdownWithoutOperationsIsNotRead(t *testing.T) {
	g := openGraph(t, map[string]string{"doc.md": "# A\n\nText, and a mail@example.org.\n"})
	end := scriptededitor.Position{Line: 2, Character: 4}
	for version, with := range []string{"", " x", "\n\ny", "@"} {
		if version > 0 {
			if err := g.Change(g.uri, version+1, scriptededitor.Range{Start: end, End: end}, with); err != nil {
				t.Fatal(err)
			}
		}
		if said, err := g.lenses(t, nil); err != nil || said != "" {
			t.Fatalf("lenses of Markdown: %q, %v", said, err)
		}
		for _, d := range g.documents.all() {
			if done := d.graphed.done.Load(); done == nil || done.Document != nil {
				t.Errorf("after %q: %v was read", with, done)
			}
		}
	}
}

// TestHostileGraphsStayBounded opens documents that are as large, deep and entangled as they can be: every question is
// answered.
func TestHostileGraphsStayBounded(t *testing.T) {
	const mb = 1 << 20
	for name, text := range map[string]string{
		"deep": strings.Repeat("> - ", 10_000) + "\n\n@llm\nprompt: x\n",
		"levels": strings.Repeat("# A\n## B\n### C\n#### D\n##### E\n###### F\n", 1_000) +
			"\n@llm\nprompt: x\nblock: a/*\n",
		"large":      "# A {id=a}\n\n" + strings.Repeat("word ", 4*mb/5) + "\n\n@llm\nprompt: x\nblock: a\n",
		"references": "# A {id=a}\n\n@llm\nprompt: x\nblock: [" + strings.Repeat("a, a/*, b, ", 5_000) + "a]\n",
		"operations": "# A\n\n" + strings.Repeat("text\n\n@llm\nprompt: x\n\n", 2_000),
		"headings":   strings.Repeat("# A\n\n", 10_000) + "@llm\nprompt: x\nblock: a\n",
		"wildcards": "# R {id=r}\n\n" + strings.Repeat("## A\n\nx\n\n", 2_000) + "# S\n\n" +
			strings.Repeat("@llm\nprompt: x\nblock: r/*\n\n", 500),
		"lost": strings.Repeat("# Abcdefgh\n\n", 2_000) +
			"@llm\nprompt: x\nblock: [" + strings.Repeat("abcdefgx, ", 1_000) + "x]\n",
		"scalar":  "# A\n\n@llm\nprompt: |\n" + strings.Repeat("  line\n\n", 50_000),
		"aliases": "@llm\nprompt: &a [x]\nblock: [*a, *a]\nmedia: &b [*b]\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := openGraph(t, map[string]string{"doc.md": text})
			lines := strings.Count(text, "\n")
			for _, line := range []int{lines / 2, lines - 1} {
				at := scriptededitor.Position{Line: uint32(line), Character: 2}
				for _, method := range []string{"textDocument/codeLens", "textDocument/hover",
					"textDocument/definition", "textDocument/references", "textDocument/completion",
					"textDocument/documentSymbol", "textDocument/codeAction", "textDocument/semanticTokens/full",
					"ctxledger/prompt"} {
					more := map[string]any{"position": at, "range": scriptededitor.Range{Start: at, End: at},
						"context": map[string]any{"diagnostics": []any{}, "includeDeclaration": true}}
					if err := g.call(method, more, nil); err != nil {
						t.Errorf("%s: %v", method, err)
					}
				}
			}
			if list, err := g.diagnostics(1); err != nil || len(list) > graphfileMost {
				t.Errorf("%d diagnostics, %v", len(list), err)
			}
		})
	}
}

// graphfileMost is how many findings are published of a document.
const graphfileMost = 300

// TestEveryCodeIsExplained: the link of each finding leads to a document that explains it, and to none of what is no code.
func TestEveryCodeIsExplained(t *testing.T) {
	g := openGraph(t, map[string]string{"doc.md": "# A\n"})
	var doc struct{ Text string }
	for _, c := range graph.Codes() {
		uri := map[string]any{"uri": findingAddress + c.Code + ".md"}
		if err := g.Call(g.ctx, "workspace/textDocumentContent", uri, &doc); err != nil ||
			!strings.HasPrefix(doc.Text, "# "+c.Code+"\n\n"+c.Means+".\n\nWhat to do: "+c.Remedy+".\n") {
			t.Errorf("%s: %q, %v", c.Code, doc.Text, err)
		}
	}
	uri := map[string]any{"uri": findingAddress + "CG999.md"}
	if err := g.Call(g.ctx, "workspace/textDocumentContent", uri, &doc); err == nil {
		t.Errorf("CG999 is explained: %q", doc.Text)
	}
}
