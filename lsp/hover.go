package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/text"
)

// hoverMethod shows the cost of what is under the mouse.
func hoverMethod() method {
	of := func(p *protocol.HoverParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/hover", of, func(ctx context.Context, s *folder, d *document,
		p *protocol.HoverParams) (*protocol.Hover, error) {
		if d.isConfiguration() {
			return s.explainSetting(d, p.Position), nil
		}
		offset := d.text.Offset(text.Position(p.Position))
		k := s.snapshot()
		settings := k.settings
		note, ok := anyfile.Note{}, false
		if settings.Hover != showOff {
			_, end := d.text.Line(0)
			note, ok = agentfile.Hover(s.usesOf(ctx, d), k.meter, offset, end)
		}
		switch {
		case ok:
			note.Text, note.To = plainLines(note.Text), min(note.To, d.text.Len())
			if heading, also := anyfile.Heading(s.file(d), offset); also {
				note.Text += "\n" + heading.Text
			}
		case settings.Hover == showHeadings:
			note, ok = anyfile.Heading(s.file(d), offset)
		case settings.Hover == showAlways:
			note, ok = anyfile.Anywhere(s.file(d), offset), true
		}
		if !ok {
			return nil, nil
		}
		r := span(d.text, note.From, note.To)
		return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: s.caps.hoverKind(),
			Value: s.paragraphs(note.Text)}, Range: &r}, nil
	})
}

// paragraphs separates lines so that the client shows them as lines.
func (s *Server) paragraphs(lines string) string {
	if s.caps.hoverKind() == protocol.MarkupKindPlainText {
		return lines
	}
	return strings.ReplaceAll(lines, "\n", "\n\n")
}
