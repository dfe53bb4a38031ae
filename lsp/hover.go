package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/records"
)

// hover shows the cost of what is under the mouse.
func (s *folder) hover(ctx context.Context, d *document, p *protocol.HoverParams) (*protocol.Hover, error) {
	if d.isConfiguration() {
		return s.explainSetting(d, p.Position), nil
	}
	offset := d.text.Offset(text.Position(p.Position))
	k := s.snapshot()
	settings := k.settings
	if h := s.graphHover(d, offset); h != nil && settings.Hover != showOff {
		return h, nil
	}
	f, note, ok := s.beside(ctx, d), anyfile.Note{}, false
	var uses []agentfile.Use
	if settings.Hover != showOff {
		uses = s.usesOf(ctx, d)
		note, ok = agentfile.Hover(uses, f, offset)
	}
	switch {
	case ok:
		if used := anyfile.ExplainUse(f); used != "" && s.lensed(f) { // which has a lens of its own
			note.Text += "\n" + used
		}
		note.Text, note.To = plainLines(note.Text), min(note.To, d.text.Len())
		if heading, also := anyfile.Heading(f, offset); also {
			note.Text += "\n" + heading.Text
			if counted := f.Meter.Counted(); !strings.Contains(note.Text, counted) {
				note.Text += "\n" + counted
			}
		}
	case settings.Hover != showOff:
		if note, ok = s.note(f, offset, settings.Hover == showAlways); ok { // beside the lens
			note.Text = strings.Join(append([]string{note.Text}, agentfile.Heads(uses, f)...), "\n")
		}
	}
	if !ok {
		return nil, nil
	}
	r := span(d.text, note.From, note.To)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: s.caps.hoverKind(),
		Value: s.paragraphs(note.Text)}, Range: &r}, nil
}

// graphHover says what is at a byte of a context graph; nil: nothing.
func (s *folder) graphHover(d *document, offset int) *protocol.Hover {
	f, ok := s.graphFile(d)
	if !ok {
		return nil
	}
	note, ok := graphfile.Hover(f, offset)
	if !ok {
		return nil
	}
	value := s.paragraphs(plainLines(note.Text))
	switch body := chars.Plain(note.Body); {
	case body == "":
	case s.caps.hoverKind() == protocol.MarkupKindPlainText:
		value += "\n\n" + body
	default:
		value += "\n\n" + records.Fence(body, "markdown")
	}
	r := span(d.text, note.From, note.To)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: s.caps.hoverKind(), Value: value}, Range: &r}
}

// note returns what is said about a byte of a file: in the first line also what explains the lens above it, since few
// editors show the hover of a lens.
func (s *folder) note(f anyfile.File, offset int, always bool) (note anyfile.Note, ok bool) {
	note, ok = anyfile.Heading(f, offset)
	from, to := f.Text.Line(0)
	switch lensed := offset <= to && s.lensed(f); {
	case !lensed && !ok && always:
		return anyfile.Anywhere(f, offset), true
	case !lensed:
		return note, ok
	case ok:
		note.Text += "\n" + anyfile.ExplainLens(f, anyfile.CostOf(f))
		return note, true
	}
	return anyfile.Note{Text: anyfile.ExplainLens(f, anyfile.CostOf(f)), From: from, To: to}, true
}

// paragraphs separates lines so that the client shows them as lines.
func (s *Server) paragraphs(lines string) string {
	if s.caps.hoverKind() == protocol.MarkupKindPlainText {
		return lines
	}
	return strings.ReplaceAll(lines, "\n", "\n\n")
}
