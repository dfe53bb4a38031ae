package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp"
)

// askedModel is the model for which every face counts.
const askedModel = "claude-sonnet-4-5"

// leastFigures is how many figures have to be compared: fewer, and a row is gone.
const leastFigures = 260

// guide is a text with sections.
const guide = "# Guide\n\n## Install\nmake it, then wait for ≈3 minutes.\n\n" +
	"## Use\nrun `shop` and look at what it says about orders.\n"

// section is one of a text, by its first line.
type section struct {
	line int
	text string
}

// sections are those of guide, with the line of each: up to the next one.
var sections = map[string]section{
	"Guide":   {0, guide},
	"Install": {2, guide[strings.Index(guide, "## Install"):strings.Index(guide, "## Use")]},
	"Use":     {5, guide[strings.Index(guide, "## Use"):]},
}

// texts are the files of the workspace. The source is long enough for its index to have several leaves,
// and for its result to be an artifact.
var texts = map[string]string{
	"order/order.go": "package order\n\n" + strings.Repeat("// ID returns 0x2A as an OrderID of the shop.\n"+
		"func (o *Order) ID(n int64) OrderID { return o.IDs[n] + 1042 }\n\n", 450),
	"docs/guide.md": guide,
	"docs/rules.md": "Never push to main.\n",
	"AGENTS.md":     "# Shop\n" + strings.Repeat("Prices are in cents: never store 12,50 € as a float64.\n", 60),
	"CLAUDE.md":     "# Shop\nSee @docs/rules.md for the rules.\n## Tests\nRun them all.\n",
	"notes.txt":     "Bestellungen: 12,50 € je Stück.\n",
}

// TestEveryFaceCountsTheSame drives the command line, the tools, the language server, and the data that the panel of VS Code
// shows, on one workspace with live sessions of two agents, whose models have two tokenizers, and compares every figure that
// names the same thing: before the model was measured, and after. What an audit counts has the same names.
func TestEveryFaceCountsTheSame(t *testing.T) {
	s := newBox(t)
	for name, text := range texts {
		path := filepath.Join(s.Workspace, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	write(t, filepath.Join(s.Workspace, ".mcp.json"),
		`{"mcpServers": {"ctxledger": {"command": "ctxmcp", "args": [], "alwaysLoad": true}}}`)
	codexSession(t, s)
	liveSession(t, s)
	run(t, s, "status") // which waits until the session files are read
	w := &witness{t: t, box: s, editor: edit(t, s), mcp: connect(t, s, s.Workspace, "agent")}
	w.apart = alone(t, s)
	before := w.figures()
	compare(t, "before anything was measured", before)
	asked := w.editor.Asked("workspace/codeLens/refresh")
	askedApart := w.apart.Asked("workspace/codeLens/refresh")
	teach(t, open(t, s), askedModel)
	order := before["tokens of order/order.go"]["the status bar"]
	for e, asked := range map[*scriptededitor.Editor]int{w.editor: asked, w.apart: askedApart} {
		if _, err := e.Until(deadlined(t), func([]scriptededitor.Message) bool {
			return e.Asked("workspace/codeLens/refresh") > asked && w.costIn(e, "order/order.go", nil).Tokens.N != order
		}); err != nil {
			t.Fatalf("an editor was not told that figures are out of date: %v", err)
		}
	}
	w.named()
	after := w.figures()
	compare(t, "after measurements", after)
	for _, f := range []figures{before, after} {
		took, text := f["the file order/order.go in the window"]["the panel"], f["tokens of order/order.go"]["the status bar"]
		if took == 0 || took >= text { // else no measurement was in effect
			t.Errorf("reading %d tokens took %d of the window", text, took)
		}
	}
	for _, quantity := range []string{"tokens of order/order.go", "tokens of the workspace", "CLAUDE.md in every request",
		"ctxledger compacts above"} {
		if maps.Equal(before[quantity], after[quantity]) {
			t.Errorf("%s is %v whatever was measured", quantity, after[quantity])
		}
	}
	for q := range before {
		if strings.HasPrefix(q, besideAgent) && !maps.Equal(before[q], after[q]) {
			t.Errorf("%s was %v, and is %v since the model of the other session was measured", q, before[q], after[q])
		}
	}
	w.changed(after)
}

// changed lets CLAUDE.md grow while the session is live. Its requests are not known to carry that: no face says that they paid
// for it, or which part of them it is.
func (w *witness) changed(was figures) {
	w.t.Helper()
	if was["what the memory files have cost"]["context_status"] == 0 {
		w.t.Error("what the memory files have cost was never said")
	}
	write(w.t, filepath.Join(w.box.Workspace, "CLAUDE.md"), texts["CLAUDE.md"]+strings.Repeat("Prices are in cents.\n", 9_000))
	lens := func() string { return w.lens("CLAUDE.md").Tooltip }
	if _, err := w.editor.Until(deadlined(w.t), func([]scriptededitor.Message) bool {
		return !strings.Contains(lens(), "so far")
	}); err != nil {
		w.t.Fatalf("the lens still says what CLAUDE.md has cost: %v: %s", err, lens())
	}
	f := figures{}
	w.unchanged(f)
	for _, difference := range f.differ() {
		w.t.Errorf("after CLAUDE.md has grown: %s", difference)
	}
	for quantity, faces := range f {
		if known := strings.HasPrefix(quantity, ledger.CategoryFixed); known != (faces["the panel"] > 0) {
			w.t.Errorf("after CLAUDE.md has grown: %s is %v", quantity, faces)
		}
	}
}

// TestAFigureThatDiffersIsTold: the comparison finds one face of many that shows something else, and one that is alone.
func TestAFigureThatDiffersIsTold(t *testing.T) {
	f := figures{}
	f.add("tokens of a.go", "the lens", 516)
	f.add("tokens of a.go", "ctxledger count", 516)
	f.add("tokens of a.go", "the panel", 387)
	f.add("tokens of b.go", "the lens", 7)
	want := "tokens of a.go: ctxledger count 516, the lens 516, the panel 387\ntokens of b.go: only the lens shows it"
	if got := strings.Join(f.differ(), "\n"); got != want {
		t.Errorf("told:\n%s", got)
	}
}

// figures are the numbers that faces show, by the quantity that they name.
type figures map[string]map[string]int

// add adds what a face shows.
func (f figures) add(quantity, face string, n int) {
	if f[quantity] == nil {
		f[quantity] = map[string]int{}
	}
	f[quantity][face] = n
}

// differ names the quantities that faces do not agree on.
func (f figures) differ() (out []string) {
	for _, quantity := range slices.Sorted(maps.Keys(f)) {
		faces := slices.Sorted(maps.Keys(f[quantity]))
		shown, same := make([]string, len(faces)), true
		for i, face := range faces {
			shown[i] = fmt.Sprintf("%s %d", face, f[quantity][face])
			same = same && f[quantity][face] == f[quantity][faces[0]]
		}
		switch {
		case len(faces) == 1:
			out = append(out, quantity+": only "+faces[0]+" shows it")
		case !same:
			out = append(out, quantity+": "+strings.Join(shown, ", "))
		}
	}
	return out
}

// compare fails the test for figures that differ, or are missing.
func compare(t *testing.T, when string, f figures) {
	t.Helper()
	n := 0
	for _, faces := range f {
		n += len(faces)
	}
	t.Logf("%s: %d figures of %d quantities", when, n, len(f))
	if n < leastFigures {
		t.Errorf("%s: %d figures, fewer than %d", when, n, leastFigures)
	}
	for _, difference := range f.differ() {
		t.Errorf("%s: %s", when, difference)
	}
}

// liveSession writes the file of a session of Claude Code that is at work: it reads a large file once and another one
// twice. What it measures is less than any estimate of that, and by request too little or too much to be learnt from.
func liveSession(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	a, err := sandbox.NewAgent(s.Config, s.Workspace, askedModel, "Please read what there is about orders.")
	for i, name := range []string{"order/order.go", "docs/guide.md", "docs/guide.md"} {
		if err == nil {
			err = a.Read(name, texts[name], []int{20_000, 24_000, 33_000}[i])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	subagent(t, s, a)
}

// subagent writes the file of a subagent of the session, which only its cost shows.
func subagent(t *testing.T, s *sandbox.Sandbox, a *sandbox.Agent) {
	t.Helper()
	dir := filepath.Join(strings.TrimSuffix(a.File, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	raw := fmt.Sprintf(`{"type":"assistant","uuid":"00000000-0000-4000-9000-000000000001","parentUuid":null,"sessionId":%q,`+
		`"agentId":"ab12cd34","isSidechain":true,"timestamp":%q,"cwd":%q,"version":"2.1.328","message":{"id":"msg_sub",`+
		`"type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":"Found nothing."}],`+
		`"usage":{"input_tokens":20000,"output_tokens":5}}}`+"\n", sandbox.HostSession,
		time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), s.Workspace, askedModel)
	write(t, filepath.Join(dir, "agent-ab12cd34.jsonl"), raw)
}

// edit starts a language server for an editor that shows everything, opens the files, and waits for the live session.
func edit(t *testing.T, s *sandbox.Sandbox) *scriptededitor.Editor {
	t.Helper()
	e := startEditor(t, s, true)
	if _, err := e.Until(deadlined(t), func(told []scriptededitor.Message) bool {
		st := newestStatus(t, told)
		return st.Held.N > 33_000 && st.Window > 0
	}); err != nil {
		t.Fatalf("the live session was not shown: %v", err)
	}
	return e
}

// alone is edit for an editor that follows no session, and waits for the model that the ledger names.
func alone(t *testing.T, s *sandbox.Sandbox) *scriptededitor.Editor {
	t.Helper()
	e, w := startEditor(t, s, false), witness{t: t, box: s}
	if _, err := e.Until(deadlined(t), func([]scriptededitor.Message) bool {
		return w.costIn(e, "notes.txt", nil).Model == askedModel
	}); err != nil {
		t.Fatalf("it does not count for the model of the ledger: %v", err)
	}
	return e
}

// startEditor starts a language server for an editor that shows everything, and opens the files.
func startEditor(t *testing.T, s *sandbox.Sandbox, live bool) *scriptededitor.Editor {
	t.Helper()
	everything := map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "countSelection": true,
		"status": true, "live": live}
	e := editing(t, s, filepath.Join(s.Bin, "ctxlsp"), everything)
	for name, text := range texts {
		if err := e.Open(uriOf(s, name), "markdown", text); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// editing starts a language server for an editor with settings, in the workspace.
func editing(t *testing.T, s *sandbox.Sandbox, program string, settings map[string]any) *scriptededitor.Editor {
	t.Helper()
	life, end := context.WithTimeout(context.Background(), 5*patience) // that of the test ends before its cleanups
	cmd := exec.CommandContext(life, program, "--stdio")
	cmd.Dir, cmd.Env = s.Workspace, s.Env()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &sandbox.Tail{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := scriptededitor.New(in, out)
	t.Cleanup(func() {
		defer end()
		_ = e.Leave(life) // Wait says whether it left
		if err := cmd.Wait(); err != nil {
			t.Errorf("ctxlsp: %v: %s", err, stderr)
		}
	})
	can := map[string]any{
		"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}},
		"workspace":    map[string]any{"codeLens": map[string]any{"refreshSupport": true}}}
	folders := map[string]any{"workspaceFolders": []any{map[string]any{"uri": uriOf(s, ""), "name": "shop"}}}
	if _, err := e.Initialize(deadlined(t), can, settings, folders); err != nil {
		t.Fatal(err)
	}
	return e
}

// uriOf returns the address of a file of the workspace.
func uriOf(s *sandbox.Sandbox, name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(s.Workspace, name))
}

// newestStatus returns what the status bar was told last.
func newestStatus(t *testing.T, told []scriptededitor.Message) (st lsp.Status) {
	t.Helper()
	for _, m := range slices.Backward(told) {
		if m.Method == "ctxledger/status" {
			if err := json.Unmarshal(m.Params, &st); err != nil {
				t.Fatal(err)
			}
			return st
		}
	}
	return st
}
