package taint

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp"
)

// shared is a ledger that its users do not close.
type shared struct{ ledger.API }

func (shared) Close() error { return nil }

// editor is an editor with a server on the ledger of a place.
type editor struct {
	*scriptededitor.Editor
	p *place
	s *search
}

// editor looks at all that an editor is shown.
func (p *place) editor(s *search, list []canary, all []compacted, artifact string) {
	t := p.t
	t.Helper()
	api, err := p.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // the test fails with what it did
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	opened := func(context.Context) (lsp.Ledger, error) { return shared{api}, nil }
	server := lsp.New(lsp.Options{Version: "test", Env: p.env(), Log: slog.New(slog.DiscardHandler),
		Find: func([]string) (lsp.Workspace, error) {
			return lsp.Workspace{Root: p.root, Open: opened, Read: opened, Recorded: func() bool { return true }}, nil
		}})
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(t.Context(), in, out)
		in.Close()  // a pipe
		out.Close() // a pipe
	}()
	e := &editor{Editor: scriptededitor.New(toServer, fromServer), p: p, s: s}
	settings := map[string]any{"live": true, "status": true, "lens": "always", "hover": "always", "hints": 1,
		"symbols": true}
	if _, err := e.Initialize(t.Context(), map[string]any{"window": map[string]any{"workDoneProgress": true}}, settings,
		map[string]any{"rootUri": "file://" + p.root}); err != nil {
		t.Fatal(err)
	}
	e.told()
	for _, c := range all {
		e.ask("ctxledger/context", map[string]any{"session": c.session})
		e.ask("ctxledger/window", map[string]any{"session": c.session})
	}
	e.tree()
	e.file()
	e.commands(all, artifact)
	e.refusals(list)
	if err := e.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	e.Close() // it has left
	e.shown()
}

// ask calls a method and looks at the answer.
func (e *editor) ask(method string, params any) json.RawMessage {
	e.p.t.Helper()
	var raw json.RawMessage
	if err := e.Call(e.p.t.Context(), method, params, &raw); err != nil {
		e.p.t.Errorf("%s: %v", method, err)
	}
	e.s.look(LSP, method, "", string(raw))
	return raw
}

// told waits for the status of the live session.
func (e *editor) told() {
	_, err := e.Until(e.p.t.Context(), func(told []scriptededitor.Message) bool {
		for _, m := range told {
			if m.Method == "ctxledger/status" && strings.Contains(string(m.Params), "[masked:") {
				return true
			}
		}
		return false
	})
	if err != nil {
		e.p.t.Error(err)
	}
}

// shown looks at what the server said unasked: what a command shows is part of that command.
func (e *editor) shown() {
	told, _ := e.Until(e.p.t.Context(), func([]scriptededitor.Message) bool { return true }) // it has gone
	for _, m := range append(told, e.Calls()...) {
		switch m.Method {
		case "ctxledger/status", "ctxledger/changed":
			e.s.look(LSP, m.Method, "", string(m.Params))
		default:
			e.s.look(LSP, "workspace/executeCommand", "shows "+m.Method, string(m.Params))
		}
	}
}

// mostDocuments is how many documents of one node of the tree are opened.
const mostDocuments = 30

// tree goes through the tree, and opens documents of it.
func (e *editor) tree() {
	for queue, n := []string{""}, 0; len(queue) > 0 && n < 60; n++ {
		var found struct {
			Nodes []struct {
				ID, Label, URI string
				Children       bool
			} `json:"nodes"`
		}
		raw := e.ask("ctxledger/tree", map[string]any{"parent": queue[0]})
		if err := json.Unmarshal(raw, &found); err != nil {
			e.p.t.Fatal(err)
		}
		queue = queue[1:]
		opened := 0
		for _, node := range found.Nodes {
			if node.Children {
				queue = append(queue, node.ID)
			}
			if node.URI != "" && opened < mostDocuments {
				opened++
				e.ask("workspace/textDocumentContent", map[string]any{"uri": node.URI})
				if strings.HasPrefix(node.URI, "ctxledger:/change/") {
					e.diff(node.URI)
				}
			}
		}
	}
}

// diff opens the texts before and after a change, if it has both.
func (e *editor) diff(change string) {
	var sides struct{ Before, After string }
	if err := json.Unmarshal(e.ask("ctxledger/diff", map[string]any{"uri": change}), &sides); err != nil {
		e.p.t.Fatal(err)
	}
	for _, uri := range []string{sides.Before, sides.After} {
		if uri != "" {
			e.ask("workspace/textDocumentContent", map[string]any{"uri": uri})
		}
	}
}

// file opens a file that the sessions touched, and asks for everything that is said of it.
func (e *editor) file() {
	path := filepath.Join(e.p.root, "notes/config.txt")
	e.p.write("project/notes/config.txt", "x\n")
	at := "file://" + path
	if err := e.Open(at, "plaintext", "x\n"); err != nil {
		e.p.t.Fatal(err)
	}
	for _, method := range []string{"textDocument/hover", "textDocument/codeLens"} {
		e.ask(method, scriptededitor.Document(
			at, map[string]any{"position": map[string]any{"line": 0, "character": 0}}))
	}
}

// commands has done what a person can ask for.
func (e *editor) commands(all []compacted, artifact string) {
	e.command("forget", map[string]any{"handle": artifact, "dryRun": true})
	for _, c := range all {
		e.command("compact", map[string]any{"session": c.session})
		e.command("forget", map[string]any{"handle": c.session, "dryRun": true})
	}
	last := all[len(all)-1]
	e.command("restore", map[string]any{"summary": last.summary})
	e.command("compact", map[string]any{"session": last.session})
}

func (e *editor) command(name string, argument map[string]any) {
	e.ask("workspace/executeCommand",
		map[string]any{"command": "ctxledger.server." + name, "arguments": []any{argument}})
}

// refusals asks for what there is not, by secrets.
func (e *editor) refusals(list []canary) {
	for _, c := range list[:min(len(list), 60)] {
		for _, r := range []struct {
			method string
			params map[string]any
		}{
			{c.text, map[string]any{}},
			{"workspace/executeCommand", map[string]any{"command": c.text}},
			{"workspace/executeCommand", map[string]any{"command": "ctxledger.server.forget",
				"arguments": []any{map[string]any{"handle": c.text, "dryRun": true}}}},
			{"ctxledger/tree", map[string]any{"parent": c.text}},
			{"ctxledger/context", map[string]any{"session": c.text}},
			{"ctxledger/window", map[string]any{"session": c.text}},
			{"workspace/textDocumentContent", map[string]any{"uri": "ctxledger:/" + c.text}},
			{"ctxledger/diff", map[string]any{"uri": "ctxledger:/change/" + c.text}},
		} {
			if err := e.Call(e.p.t.Context(), r.method, r.params, nil); err != nil {
				e.s.look(LSP, "errors", "", err.Error())
			}
		}
	}
}
