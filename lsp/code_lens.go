package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
)

// codeLensMethod shows the cost of a file above its first line. It does not use codeLens/resolve: with an index the title
// takes a microsecond and a second call a hundred; without one the client would wait as long for the title.
func codeLensMethod() method {
	of := func(p *protocol.CodeLensParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/codeLens", of, func(ctx context.Context, s *folder, d *document,
		_ *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
		if lenses := s.agentLenses(ctx, d); len(lenses) > 0 {
			return lenses, nil
		}
		f := s.file(d)
		if !s.lensed(f) {
			return nil, nil
		}
		return []protocol.CodeLens{{Command: explains(d, anyfile.Lens(f), anyfile.ExplainLens(f))}}, nil
	})
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

// explains returns the command of a lens, with its hover: a click says what the file costs, and where.
func explains(d *document, title, hover string) protocol.Command {
	lines := plainLines(hover)
	c := protocol.Command{Title: plainLine(title), Tooltip: &lines, Command: commandExplain}
	if document, err := protocol.Marshal(&protocol.TextDocumentIdentifier{URI: d.spelled}); err == nil {
		c.Arguments = []protocol.LSPAny{document}
	}
	return c
}
