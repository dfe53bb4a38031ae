//go:build linux

package poison_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/poison"
	"ctxledger.dev/lsp"
)

// editor is an editor with a server on the scene's ledger, and what it is shown.
type editor struct {
	*scriptededitor.Editor
	s     *scene
	look  looker
	asked map[string]bool
}

// views are what an editor shows: the tree, its documents, what is said of a file, and of what goes wrong.
func views(s *scene, look looker) {
	var log serverLog
	opened := func(context.Context) (lsp.Ledger, error) { return kept{s.api}, nil }
	server := lsp.New(lsp.Options{Version: "test", Env: s.env, Log: log.logger(s),
		Find: func([]string) (lsp.Workspace, error) {
			return lsp.Workspace{Root: s.root, Open: opened, Read: opened, Recorded: func() bool { return true }}, nil
		}})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, in, out)
		_ = in.Close()  // a pipe
		_ = out.Close() // a pipe
	}()
	e := &editor{Editor: scriptededitor.New(toServer, fromServer), s: s, look: look, asked: map[string]bool{}}
	_, err := e.Initialize(ctx, nil, map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true,
		"folding": true, "live": false}, map[string]any{"rootUri": "file://" + s.root})
	s.do(err)
	e.tree(ctx, "")
	e.file(ctx)
	e.graph(ctx)
	e.refusals(ctx)
	e.inventory()
	s.do(e.Leave(ctx))
	s.do(e.Close())
	s.do(<-served)
	log.see("the language server", look)
}

// call sends a request and checks every text of the answer: the members in lines must be one line each.
func (e *editor) call(ctx context.Context, method string, params, result any) bool {
	e.asked[method] = true
	var raw json.RawMessage
	if err := e.Call(ctx, method, params, &raw); err != nil {
		e.look("editor, refusal of "+method, strings.TrimPrefix(err.Error(), method), visible)
		return false
	}
	var any any
	e.s.do(json.Unmarshal(raw, &any))
	if result != nil {
		e.s.do(json.Unmarshal(raw, result))
	}
	if method != "workspace/textDocumentContent" {
		e.texts(method, any)
	}
	return true
}

// texts looks at all texts of a value. Where an answer quotes an address or a text to insert, that is exact.
func (e *editor) texts(name string, v any) {
	switch v := v.(type) {
	case string:
		e.look("editor, "+name, v, visible)
	case []any:
		for _, x := range v {
			e.texts(name, x)
		}
	case map[string]any:
		for k, x := range v {
			if k != "edit" && k != "uri" {
				e.texts(name+" "+k, x)
			}
		}
	}
}

// node is one of the tree.
type node struct {
	ID, Label, Description, Tooltip, Kind, URI string
	Children                                   bool
}

// tree goes through the tree, and opens its documents.
func (e *editor) tree(ctx context.Context, parent string) {
	var r struct{ Nodes []node }
	if !e.call(ctx, "ctxledger/tree", map[string]any{"parent": parent}, &r) {
		e.s.t.Errorf("%s: the tree below %q is refused", e.s.text.Name(), parent)
	}
	for _, n := range r.Nodes {
		e.look("tree, label of a "+n.Kind, n.Label, single)
		e.look("tree, description of a "+n.Kind, n.Description, single)
		if n.URI != "" {
			e.look("tree, address of a "+n.Kind, n.URI, address)
			e.document(ctx, n)
		}
		if n.Children {
			e.tree(ctx, n.ID)
		}
	}
}

// document opens the document of a node.
func (e *editor) document(ctx context.Context, n node) {
	var doc struct{ Text string }
	if !e.call(ctx, "workspace/textDocumentContent", map[string]any{"uri": n.URI}, &doc) {
		e.s.t.Errorf("%s: %s is refused", e.s.text.Name(), n.URI)
		return
	}
	if n.Kind == "artifact" {
		e.look("document of an artifact", doc.Text, visible)
		return
	}
	e.look("document of a "+n.Kind, doc.Text, visible, poison.Markdown)
}

// file opens a file of the workspace that has the text, and asks for everything that is said of it.
func (e *editor) file(ctx context.Context) {
	file := filepath.Join(e.s.root, "notes.md")
	content := "# " + planted(e.s.text.Value, e.s.form) + "\n\nx\n"
	e.s.do(os.WriteFile(file, []byte(content), 0o600))
	at := "file://" + file
	e.s.do(e.Open(at, "markdown", strings.ToValidUTF8(content, "\ufffd")))
	zero := map[string]any{"line": 0, "character": 2}
	everything := map[string]any{"start": map[string]any{"line": 0, "character": 0},
		"end": map[string]any{"line": 9, "character": 0}}
	for method, more := range map[string]map[string]any{
		"textDocument/hover": {"position": zero}, "textDocument/completion": {"position": zero}, "textDocument/codeLens": nil, "textDocument/documentSymbol": nil,
		"textDocument/foldingRange": nil,
		"textDocument/inlayHint":    {"range": everything},
		"textDocument/codeAction":   {"range": everything, "context": map[string]any{"diagnostics": []any{}}},
		"textDocument/diagnostic":   nil, "textDocument/documentLink": nil,
	} {
		e.call(ctx, method, scriptededitor.Document(at, more), nil)
	}
	e.call(ctx, "ctxledger/context", map[string]any{"session": e.s.session}, nil)
	e.call(ctx, "ctxledger/window", map[string]any{"session": e.s.session}, nil)
	e.call(ctx, "ctxledger/diff", map[string]any{"uri": "ctxledger:/change/1"}, nil)
	e.call(ctx, "ctxledger/carried", map[string]any{}, nil)
	e.call(ctx, "ctxledger/cost", scriptededitor.Document(at, nil), nil)
	e.call(ctx, "workspace/executeCommand", map[string]any{"command": "ctxledger.server.compact",
		"arguments": []any{map[string]any{"session": e.s.session}}}, nil)
}

// graph opens a context graph that has the text wherever it has one, and asks for everything that is said of it.
func (e *editor) graph(ctx context.Context) {
	hostile := strings.ToValidUTF8(planted(e.s.text.Value, e.s.form), "\ufffd")
	line := strings.Join(strings.Fields(hostile), " ")
	content := "# " + line + "\n\n" + hostile + "\n\n# Plan {id=plan}\n\n@llm\nprompt: |\n  Say\n  " + line +
		"\nblock: [plan, \"" + strings.NewReplacer(`\`, "", `"`, "").Replace(line) + "\"]\nmodel: x\n\n@shell\nprompt: x\n"
	at := "file://" + filepath.Join(e.s.root, "graph.md")
	e.s.do(e.Open(at, "markdown", content))
	plan := uint32(strings.Count(content[:strings.Index(content, "# Plan")], "\n"))
	for row, shift := range []uint32{0, 2, 3, 6} { // the heading, @llm, prompt, block
		place := map[string]any{"line": plan + shift, "character": 3}
		for method, more := range map[string]map[string]any{
			"textDocument/hover": nil, "textDocument/completion": nil, "textDocument/codeLens": nil,
			"textDocument/documentSymbol": nil, "textDocument/foldingRange": nil, "textDocument/definition": nil,
			"textDocument/references":    {"context": map[string]any{"includeDeclaration": true}},
			"textDocument/prepareRename": nil, "textDocument/rename": {"newName": line},
			"textDocument/semanticTokens/full": nil, "textDocument/diagnostic": nil,
			"textDocument/codeAction": {"range": map[string]any{"start": place, "end": place},
				"context": map[string]any{"diagnostics": []any{}}},
		} {
			all := map[string]any{"position": place}
			maps.Copy(all, more)
			e.call(ctx, method, scriptededitor.Document(at, all), nil)
		}
		if !e.call(ctx, "ctxledger/prompt", scriptededitor.Document(at, map[string]any{"position": place}), nil) && row < 4 {
			e.s.t.Errorf("%s: the prompt is refused", e.s.text.Name())
		}
	}
}

// refusals asks for what there is not, by the text.
func (e *editor) refusals(ctx context.Context) {
	hostile := strings.ToValidUTF8(planted(e.s.text.Value, e.s.form), "\ufffd")
	for _, r := range []struct {
		method string
		params map[string]any
	}{
		{"ctxledger/tree", map[string]any{"parent": hostile}},
		{"ctxledger/context", map[string]any{"session": hostile}},
		{"ctxledger/diff", map[string]any{"uri": "ctxledger:/change/" + hostile}},
		{"workspace/textDocumentContent", map[string]any{"uri": "ctxledger:/" + hostile}},
		{"workspace/executeCommand", map[string]any{"command": hostile}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.explain",
			"arguments": []any{map[string]any{"uri": "file:///" + hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.compact",
			"arguments": []any{map[string]any{"session": hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.restore",
			"arguments": []any{map[string]any{"summary": hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.handoff",
			"arguments": []any{map[string]any{"session": hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.askServer",
			"arguments": []any{map[string]any{"agent": hostile, "server": hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.follow",
			"arguments": []any{map[string]any{"session": hostile}}}},
		{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.forget",
			"arguments": []any{map[string]any{"handle": hostile, "dry_run": true}}}},
	} {
		e.call(ctx, r.method, r.params, nil)
	}
	if err := e.Call(ctx, hostile, map[string]any{}, nil); err != nil {
		// The name of the call is our editor's part of the message.
		e.look("editor, refusal of a method", strings.ReplaceAll(err.Error(), hostile+":", ""), visible)
	}
}

// silent are the methods that answer with nothing that is stored, with the reason.
var silent = map[string]string{
	"initialize": "its answer is what the server can", "initialized": "nothing is answered",
	"shutdown": "nothing is answered", "exit": "nothing is answered",
	"$/cancelRequest": "nothing is answered", "$/setTrace": "nothing is answered",
	"window/workDoneProgress/cancel": "nothing is answered",
	"textDocument/didOpen":           "nothing is answered", "textDocument/didChange": "nothing is answered",
	"textDocument/didClose": "nothing is answered",
	"ctxledger/symbols":     "nothing is answered",
	"ctxledger/terminals":   "nothing is answered",
	"textDocument/didSave":  "nothing is answered", "workspace/didChangeConfiguration": "nothing is answered",
	"workspace/didChangeWorkspaceFolders": "nothing is answered",
}

// inventoried are the inventories that a scene has compared: they are the same in all.
var inventoried = map[string]bool{}

// inventory has every method of the server asked, or a reason why it is not.
func (e *editor) inventory() {
	if inventoried["methods"] {
		return
	}
	inventoried["methods"] = true
	for _, m := range lsp.Methods() {
		if !e.asked[m] && silent[m] == "" {
			e.s.t.Errorf("nothing is asked of %s: it needs a row", m)
		}
	}
}

// single says whether a text is more than a line.
func single(out string) error {
	if strings.ContainsAny(out, "\n\t") {
		return fmt.Errorf("it is not one line: %.120q", out)
	}
	return visible(out)
}

// plainAddress is what an address is made of.
var plainAddress = regexp.MustCompile(`^ctxledger:/[A-Za-z0-9/._~%-]*$`)

func address(out string) error {
	if !plainAddress.MatchString(out) {
		return fmt.Errorf("it is no plain address: %.120q", out)
	}
	return nil
}
