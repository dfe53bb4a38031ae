package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ctxledger.dev/internal/testonly/scriptededitor"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// TestContextGraphs asks a server about the documents of testdata/graph. To add a case, copy a file. doc.md is what an editor
// has open. Other files are next to it; those whose names begin with "open-" are open, too. ask has one question a line: a method below, and, where it is about a place, a piece of
// a line with "|" where the cursor is, \n for the end of a line; rename has the new name before it. -update makes want.
func TestContextGraphs(t *testing.T) {
	files, err := filepath.Glob("testdata/graph/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			all, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, f := range all.Files {
				texts[f.Name] = string(f.Data)
			}
			g := openGraph(t, texts)
			var got strings.Builder
			for question := range strings.Lines(texts["ask"]) {
				method, rest, _ := strings.Cut(strings.TrimSpace(question), " ")
				fmt.Fprintf(&got, "> %s\n%s", strings.TrimSpace(question), g.ask(t, method, rest))
			}
			switch {
			case got.String() == texts["want"]:
			case *update:
				for i := range all.Files {
					if all.Files[i].Name == "want" {
						all.Files[i].Data = []byte(got.String())
					}
				}
				if err := os.WriteFile(file, txtar.Format(all), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%s\nwant\n%s", &got, texts["want"])
			}
		})
	}
}

// graphCase is a context graph that an editor has open.
type graphCase struct {
	*fixture
	text, uri string
	buffer    scriptededitor.Buffer
}

// openGraph opens doc.md of these files, in a workspace that has them.
func openGraph(t *testing.T, files map[string]string) *graphCase {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newFixture(t, func(s *Server) {
		s.o.Find = func([]string) (Workspace, error) { return Workspace{Root: root}, nil }
	})
	can := map[string]any{"textDocument": map[string]any{
		"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
		"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{
			"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "refactor"}}}},
	}, "workspace": map[string]any{"textDocumentContent": map[string]any{}}}
	settings := map[string]any{"model": "gpt-5", "symbols": true, "folding": true, "agentFiles": false, "live": false}
	if _, err := f.Initialize(f.ctx, can, settings, nil); err != nil {
		t.Fatal(err)
	}
	g := &graphCase{fixture: f, text: files["doc.md"], uri: "file://" + root + "/doc.md",
		buffer: scriptededitor.NewBuffer(files["doc.md"])}
	for name, text := range files {
		if strings.HasPrefix(name, "open-") {
			if err := f.Open("file://"+root+"/"+name, "markdown", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Open(g.uri, "markdown", g.text); err != nil {
		t.Fatal(err)
	}
	return g
}

// place returns where the cursor is in a piece of a line.
func (g *graphCase) place(t *testing.T, piece string) scriptededitor.Position {
	t.Helper()
	before, after, found := strings.Cut(strings.ReplaceAll(piece, `\n`, "\n"), "|")
	at := strings.Index(g.text, before+after)
	if !found || at < 0 {
		t.Fatalf("%q is not in the document", piece)
	}
	at += len(before)
	line := strings.LastIndexByte(g.text[:at], '\n') + 1
	return scriptededitor.Position{Line: uint32(strings.Count(g.text[:at], "\n")),
		Character: uint32(len(scriptededitor.NewBuffer(g.text[line:at])))}
}

// part returns the text of a range.
func (g *graphCase) part(r scriptededitor.Range) string {
	return scriptededitor.Buffer(g.buffer[g.buffer.Unit(r.Start):g.buffer.Unit(r.End)]).String()
}

// call asks for an answer about the document.
func (g *graphCase) call(method string, more map[string]any, result any) error {
	return g.Call(g.ctx, method, scriptededitor.Document(g.uri, more), result)
}

// located is a range, alone or of a location.
type located struct {
	URI   string
	Range scriptededitor.Range
}

// says prints a location: the file, the line, and the text there.
func (g *graphCase) says(l located) string {
	if l.URI != g.uri {
		return fmt.Sprintf("%s:%d\n", filepath.Base(l.URI), l.Range.Start.Line+1)
	}
	return fmt.Sprintf("%d %q\n", l.Range.Start.Line+1, g.part(l.Range))
}

// ask asks one question of a case, and prints the answer.
func (g *graphCase) ask(t *testing.T, method, rest string) string {
	t.Helper()
	if method == "rename" {
		name, piece, _ := strings.Cut(rest, " ")
		return g.renamed(t, name, piece)
	}
	questions := map[string]func(*testing.T, map[string]any) (string, error){
		"lenses": g.lenses, "hover": g.hovers, "diagnostics": g.found, "symbols": g.symbols, "folds": g.folds,
		"definition": g.defined, "references": g.used, "complete": g.completed, "tokens": g.colored,
		"actions": g.offered, "prompt": g.prompted,
	}
	ask := questions[method]
	if ask == nil {
		t.Fatalf("no question %q", method)
	}
	more := map[string]any{}
	if rest != "" {
		at := g.place(t, rest)
		more = map[string]any{"position": at, "range": scriptededitor.Range{Start: at, End: at}}
	}
	said, err := ask(t, more)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	return said
}

func (g *graphCase) lenses(_ *testing.T, more map[string]any) (string, error) {
	var list []struct {
		located
		Command struct{ Title, Tooltip string }
	}
	err := g.call("textDocument/codeLens", more, &list)
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%d %s\n", l.Range.Start.Line+1, l.Command.Title)
		for line := range strings.Lines(l.Command.Tooltip) {
			fmt.Fprintf(&b, "   %s\n", strings.TrimSpace(line))
		}
	}
	return b.String(), err
}

func (g *graphCase) hovers(_ *testing.T, more map[string]any) (string, error) {
	var h *struct {
		located
		Contents struct{ Value string }
	}
	if err := g.call("textDocument/hover", more, &h); err != nil || h == nil {
		return "nothing\n", err
	}
	return fmt.Sprintf("%q: %s\n", g.part(h.Range), strings.TrimSpace(h.Contents.Value)), nil
}

// diagnostics returns what was published of the document, of this version.
func (g *graphCase) diagnostics(version int) (list []json.RawMessage, err error) {
	_, err = g.Until(g.ctx, func(told []scriptededitor.Message) bool {
		for _, m := range told {
			var p struct {
				URI         string
				Version     int
				Diagnostics []json.RawMessage
			}
			if m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == g.uri &&
				p.Version == version {
				list = p.Diagnostics
				return true
			}
		}
		return false
	})
	return list, err
}

func (g *graphCase) found(t *testing.T, _ map[string]any) (string, error) {
	list, err := g.diagnostics(1)
	var b strings.Builder
	for _, raw := range list {
		var d struct {
			located
			Code, Message   string
			Severity        int
			CodeDescription struct{ Href string }
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d %s %d %q: %s <%s>\n", d.Range.Start.Line+1, d.Code, d.Severity, g.part(d.Range), d.Message,
			d.CodeDescription.Href)
	}
	return b.String(), err
}

// node is a symbol.
type graphNode struct {
	Name, Detail string
	Range        scriptededitor.Range
	Children     []graphNode
}

func (g *graphCase) symbols(_ *testing.T, more map[string]any) (string, error) {
	var list []graphNode
	err := g.call("textDocument/documentSymbol", more, &list)
	var b strings.Builder
	var print func(list []graphNode, deep string)
	print = func(list []graphNode, deep string) {
		for _, n := range list {
			fmt.Fprintf(&b, "%s%s · %s, %d to %d\n", deep, n.Name, n.Detail, n.Range.Start.Line+1, n.Range.End.Line+1)
			print(n.Children, deep+"  ")
		}
	}
	print(list, "")
	return b.String(), err
}

func (g *graphCase) folds(_ *testing.T, more map[string]any) (string, error) {
	var list []struct{ StartLine, EndLine int }
	err := g.call("textDocument/foldingRange", more, &list)
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%d to %d\n", f.StartLine+1, f.EndLine+1)
	}
	return b.String(), err
}

func (g *graphCase) places(method string, more map[string]any) (string, error) {
	var list []located
	err := g.call(method, more, &list)
	var b strings.Builder
	for _, l := range list {
		b.WriteString(g.says(l))
	}
	if len(list) == 0 {
		b.WriteString("nothing\n")
	}
	return b.String(), err
}

func (g *graphCase) defined(_ *testing.T, more map[string]any) (string, error) {
	return g.places("textDocument/definition", more)
}

func (g *graphCase) used(_ *testing.T, more map[string]any) (string, error) {
	more["context"] = map[string]any{"includeDeclaration": true}
	return g.places("textDocument/references", more)
}

// edit is an answer that edits the document.
type edit struct {
	Changes map[string][]struct {
		located
		NewText string
	}
}

// after returns the lines of the document that an edit makes otherwise: what goes, and what comes.
func (g *graphCase) after(e edit) string {
	buffer := g.buffer
	edits := e.Changes[g.uri]
	slices.SortStableFunc(edits, func(a, b struct {
		located
		NewText string
	}) int {
		return g.buffer.Unit(b.Range.Start) - g.buffer.Unit(a.Range.Start)
	})
	for _, x := range edits {
		buffer = buffer.Edit(x.Range, x.NewText)
	}
	was, is := strings.Split(g.text, "\n"), strings.Split(buffer.String(), "\n")
	for len(was) > 0 && len(is) > 0 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	var b strings.Builder
	for _, line := range was {
		b.WriteString("   -" + line + "\n")
	}
	for _, line := range is {
		b.WriteString("   +" + line + "\n")
	}
	return b.String()
}

func (g *graphCase) renamed(t *testing.T, name, piece string) string {
	t.Helper()
	at := map[string]any{"position": g.place(t, piece), "newName": name}
	var prepared struct {
		located
		Placeholder string
	}
	if err := g.call("textDocument/prepareRename", at, &prepared); err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var e edit
	if err := g.call("textDocument/rename", at, &e); err != nil {
		return fmt.Sprintf("%q, refused: %v\n", prepared.Placeholder, err)
	}
	said := fmt.Sprintf("%q\n%s", prepared.Placeholder, g.after(e))
	for uri, edits := range e.Changes {
		for _, x := range edits {
			if uri != g.uri {
				said += fmt.Sprintf("   %s:%d %s\n", filepath.Base(uri), x.Range.Start.Line+1, x.NewText)
			}
		}
	}
	return said
}

// completionItem is something that can be written.
type completionItem struct {
	Label, Detail, SortText, FilterText string

	TextEdit struct {
		located
		NewText string
	}
}

// completed asks what can be written, and lists it as editors do: what begins otherwise than the text there is left out.
func (g *graphCase) completed(_ *testing.T, more map[string]any) (string, error) {
	var list struct{ Items []completionItem }
	err := g.call("textDocument/completion", more, &list)
	slices.SortFunc(list.Items, func(a, b completionItem) int { return strings.Compare(a.SortText, b.SortText) })
	var b strings.Builder
	for _, i := range list.Items {
		typed := scriptededitor.Range{Start: i.TextEdit.Range.Start, End: more["position"].(scriptededitor.Position)}
		if strings.Contains(i.FilterText, g.part(typed)) {
			fmt.Fprintf(&b, "%s: %q for %q, %s\n", i.Label, i.TextEdit.NewText, g.part(i.TextEdit.Range), i.Detail)
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing\n")
	}
	return b.String(), err
}

func (g *graphCase) colored(_ *testing.T, more map[string]any) (string, error) {
	var r struct{ Data []uint32 }
	err := g.call("textDocument/semanticTokens/full", more, &r)
	var b strings.Builder
	var line, character uint32
	for i := 0; i+4 < len(r.Data); i += 5 {
		if r.Data[i] > 0 {
			character = 0
		}
		line, character = line+r.Data[i], character+r.Data[i+1]
		at := scriptededitor.Position{Line: line, Character: character}
		end := scriptededitor.Position{Line: line, Character: character + r.Data[i+2]}
		fmt.Fprintf(&b, "%d %s %d %q\n", line+1, legend.TokenTypes[r.Data[i+3]], r.Data[i+4],
			g.part(scriptededitor.Range{Start: at, End: end}))
	}
	return b.String(), err
}

// offered asks for actions at a place, with the diagnostics of its line.
func (g *graphCase) offered(t *testing.T, more map[string]any) (string, error) {
	t.Helper()
	all, err := g.diagnostics(1)
	if err != nil {
		return "", err
	}
	shown := []json.RawMessage{}
	for _, raw := range all {
		var d located
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		if d.Range.Start.Line == more["position"].(scriptededitor.Position).Line {
			shown = append(shown, raw)
		}
	}
	more["context"] = map[string]any{"diagnostics": shown}
	var list []struct {
		Title, Kind string
		IsPreferred bool
		Edit        edit
	}
	err = g.call("textDocument/codeAction", more, &list)
	var b strings.Builder
	for _, a := range list {
		preferred := ""
		if a.IsPreferred {
			preferred = ", preferred"
		}
		fmt.Fprintf(&b, "%s (%s%s)\n%s", a.Title, a.Kind, preferred, g.after(a.Edit))
	}
	return b.String(), err
}

func (g *graphCase) prompted(_ *testing.T, more map[string]any) (string, error) {
	var p *struct {
		Operation, Said string
		Tokens          struct{ N int }
		Window          int
		Messages        []struct {
			Role, From, Block, Text string
			Tokens                  struct{ N int }
			Range                   *scriptededitor.Range
		}
		Steps []scriptededitor.Range
	}
	if err := g.call("ctxledger/prompt", more, &p); err != nil || p == nil {
		return "nothing\n", err
	}
	var b strings.Builder
	for _, step := range p.Steps {
		fmt.Fprintf(&b, "sent by line %d\n", step.Start.Line+1)
	}
	if p.Operation == "" {
		return b.String(), nil
	}
	fmt.Fprintf(&b, "@%s, %d of %d\n%s\n", p.Operation, p.Tokens.N, p.Window, p.Said)
	for _, m := range p.Messages {
		fmt.Fprintf(&b, "   %s %s %s %d: %q", m.Role, m.From, m.Block, m.Tokens.N, m.Text)
		if m.Range != nil {
			fmt.Fprintf(&b, " from line %d", m.Range.Start.Line+1)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
