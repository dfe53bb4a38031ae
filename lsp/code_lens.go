package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/graphfile"
)

// codeLens shows the cost of a file above its first line. It does not use codeLens/resolve: with an index the title
// takes a microsecond and a second call a hundred; without one the client would wait as long for the title.
func (s *folder) codeLens(ctx context.Context, d *document, _ *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	lenses := s.agentLenses(ctx, d)
	if f := s.file(d); s.lensed(f) && (len(lenses) == 0 || f.Use.Known()) {
		cost := anyfile.CostOf(f)
		lenses = append(lenses,
			protocol.CodeLens{Command: explains(d, anyfile.Lens(f, cost), anyfile.ExplainLens(f, cost))})
	}
	return append(lenses, s.graphLenses(d)...), nil
}

// lensed reports whether the settings ask for a lens on a file.
func (s *Server) lensed(f anyfile.File) bool {
	lens := s.snapshot().settings.Lens
	return lens == showAlways || lens == showLive && f.Use.Touched
}

// agentLenses shows what a file costs that agents load: that says more than its size.
func (s *folder) agentLenses(ctx context.Context, d *document) (lenses []protocol.CodeLens) {
	if s.snapshot().settings.Lens == showOff {
		return nil
	}
	uses := s.usesOf(ctx, d)
	if len(uses) == 0 {
		return nil
	}
	for _, l := range agentfile.Lenses(uses, s.file(d)) {
		at := min(l.At, d.text.Len()) // it may have been edited meanwhile
		c := explains(d, l.Title, l.Hover)
		if l.Ask != nil && s.counts() {
			c.Title = plainLine(l.Title + ": ask it…")
			which := askArgument{Folder: s.name(), Agent: l.Ask.Host, Server: l.Ask.Name, Path: l.Ask.Path}
			if arg, err := protocol.Marshal(&which); err == nil {
				c.Command, c.Arguments = commandAskServer, []protocol.LSPAny{arg}
			}
		}
		lenses = append(lenses, protocol.CodeLens{Range: span(d.text, at, at), Command: c})
	}
	return lenses
}

// graphLenses shows what the operations of a context graph send, and which blocks are sent often.
func (s *folder) graphLenses(d *document) (lenses []protocol.CodeLens) {
	if s.snapshot().settings.Lens == showOff {
		return nil
	}
	f, ok := s.graphFile(d)
	if !ok {
		return nil
	}
	of := strings.ReplaceAll(string(explanationOf(d)), "%", "%%")
	of = of[:len(of)-1] + `,"position":{"line":%d,"character":0}}`
	shown := graphfile.Lenses(f)
	lenses = make([]protocol.CodeLens, 0, len(shown))
	for _, l := range shown {
		start := protocol.Position{Line: uint32(d.text.LineAt(l.At))}
		c := protocol.Command{Title: plainLine(l.Title), Command: commandExplain,
			Arguments: []protocol.LSPAny{protocol.LSPAny(fmt.Sprintf(of, start.Line))}}
		if l.Hover != "" {
			hover := plainLines(l.Hover)
			c.Tooltip = &hover
		}
		lenses = append(lenses, protocol.CodeLens{Range: protocol.Range{Start: start, End: start}, Command: c})
	}
	return lenses
}

// explains returns the command of a lens, with its hover: a click says what the file costs, and where.
func explains(d *document, title, hover string) protocol.Command {
	lines := plainLines(hover)
	return protocol.Command{Title: plainLine(title), Tooltip: &lines, Command: commandExplain,
		Arguments: []protocol.LSPAny{explanationOf(d)}}
}

// explanationOf is the argument that asks what a document costs.
func explanationOf(d *document) protocol.LSPAny {
	name, err := json.Marshal(string(d.spelled))
	if err != nil { // no text is refused
		return nil
	}
	return protocol.LSPAny(`{"uri":` + string(name) + "}")
}
