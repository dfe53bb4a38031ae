package ctxlsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/programtest"
)

// graphText is a context graph with a misspelled reference.
const graphText = `# Goal {id=goal}

Find why the totals differ.

# Sources {id=sources}

## Orders {id=orders}

Orders are stored in cents, 😀.

@llm
prompt: List what each source says.
block: [goal, sources/*, ordrs]

# Answer

@llm
prompt: Say where the difference is.
block: goal
`

// placedLens is a lens with its place.
type placedLens struct {
	lens
	Range scriptededitor.Range
}

// TestTheProgramsSayTheSameOfAGraph compares what the language server shows of each operation with what the command line prints.
func TestTheProgramsSayTheSameOfAGraph(t *testing.T) {
	p := newPlace(t)
	p.put(t, "graph.md", graphText)
	dir := t.TempDir()
	must(t, programtest.Build(dir, "ctxledger.dev/cmd/ctxledger"))
	var costs struct {
		Operations []struct{ Line, Total int }
	}
	raw, err := p.Command(t, filepath.Join(dir, "ctxledger"), "graph", "cost", "graph.md", "--json").Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 { // the missing block is an error
		t.Fatalf("graph cost ended with %v", err)
	}
	must(t, json.Unmarshal(raw, &costs))
	if len(costs.Operations) != 2 {
		t.Fatalf("the command line says %s", raw)
	}

	s := p.start(t)
	s.initialize(t)
	uri := p.uri("graph.md")
	must(t, s.Open(uri, "markdown", graphText))
	lenses := ask[[]placedLens](t, s, "textDocument/codeLens", uri, nil)
	for _, c := range costs.Operations {
		want := fmt.Sprintf("≈%d tokens", c.Total)
		shown := slices.ContainsFunc(lenses, func(l placedLens) bool {
			return int(l.Range.Start.Line)+1 == c.Line && strings.HasPrefix(l.Command.Title, want)
		})
		if !shown {
			t.Errorf("line %d sends %s, the lenses are %+v", c.Line, want, lenses)
		}
		at := map[string]any{"position": map[string]int{"line": c.Line - 1, "character": 1}}
		if h := string(ask[json.RawMessage](t, s, "textDocument/hover", uri, at)); !strings.Contains(h, "sends "+want) {
			t.Errorf("the hover is %s", h)
		}
		prompt := ask[struct {
			Tokens struct{ N int }
			Range  scriptededitor.Range
		}](t, s, "ctxledger/prompt", uri, at)
		if prompt.Tokens.N != c.Total || int(prompt.Range.Start.Line)+1 != c.Line {
			t.Errorf("the prompt is %+v", prompt)
		}
	}
	told, err := s.Until(s.ctx, func(told []scriptededitor.Message) bool {
		return slices.ContainsFunc(told, func(m scriptededitor.Message) bool {
			return m.Method == "textDocument/publishDiagnostics" && bytes.Contains(m.Params, []byte("CG305"))
		})
	})
	if err != nil {
		t.Errorf("the missing block is not said: %v, %v", told, err)
	}
	s.leave(t)
}

// TestTheRealHelixShowsContextGraphs: what is wrong stands at the end of the line, and a hover says what an operation sends.
func TestTheRealHelixShowsContextGraphs(t *testing.T) {
	dir := realEditors(t)
	p := newPlace(t)
	p.put(t, "graph.md", graphText)
	s := newHelix(t, dir, p, "graph.md")
	s.walk(t, []step{
		{nil, []string{"there is no block ordrs"}, false},
		{[]string{"Escape", "1", "1", "G", "Space", "k"}, []string{"@llm sends", "orders", "system prompt"}, true},
	})
	s.run(t, "send-keys", "Escape", ":q!", "Enter")
}

// TestRealEditorsWriteContextGraphs has real editors show what is wrong and what an operation sends, go to a block, and rename
// it.
func TestRealEditorsWriteContextGraphs(t *testing.T) {
	dir := realEditors(t)
	for _, c := range []struct {
		name, program string
		args          []string
	}{
		{"Neovim", "nvim", []string{"--headless", "-u", "NONE", "-n", "-i", "NONE", "-c", "luafile " + script(t, "graph.lua")}},
		{"Emacs", "emacs", []string{"--batch", "-Q", "-l", script(t, "graph.el")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			p.put(t, "graph.md", graphText)
			cmd := exec.CommandContext(within(t), filepath.Join(dir, c.program), c.args...)
			cmd.Dir, cmd.Env = p.Root, append(p.environment(), "CTX_FILE="+filepath.Join(p.Root, "graph.md"))
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s\n%s", err, &out, &errs)
			}
			var got struct {
				Codes      []string
				Lens       string
				Definition int
			}
			must(t, json.Unmarshal(bytes.TrimSpace(out.Bytes()), &got))
			if !slices.Contains(got.Codes, "CG305") || got.Definition != 1 ||
				!strings.Contains(got.Lens, "tokens · goal, sources/*, ?ordrs") {
				t.Errorf("it shows %+v", got)
			}
			saved, err := os.ReadFile(filepath.Join(p.Root, "graph.md"))
			must(t, err)
			want := strings.NewReplacer("{id=goal}", "{id=aim}", "[goal,", "[aim,", "block: goal", "block: aim").Replace(graphText)
			if string(saved) != want {
				t.Errorf("it saved %q", saved)
			}
		})
	}
}
