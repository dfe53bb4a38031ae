package lsp

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/configfile"
	"ctxledger.dev/lsp/text"
)

// maxConfiguration bounds a configuration that is helped with, in bytes: a larger one is not read either.
const maxConfiguration = 1 << 20

// configures reports whether a document is a configuration of ctxledger.
func configures(u uri.URI) bool { return u.IsFile() && configfile.Is(u.Path()) }

// isConfiguration is configures for one that is not too long.
func (d *document) isConfiguration() bool {
	return configures(d.uri) && d.text.Len() <= maxConfiguration
}

// linesOf returns the lines of a text without their ends.
func linesOf(t *text.Text) []string {
	return strings.Split(string(t.Bytes(0, t.Len())), "\n")
}

// complete offers the keys and values of a configuration of ctxledger, and what can be written in a context graph.
func (s *folder) complete(_ context.Context, d *document,
	p *protocol.CompletionParams) (protocol.CompletionResult, error) {
	if !d.isConfiguration() {
		return s.graphCompletion(d, d.text.Offset(text.Position(p.Position))), nil
	}
	line, offset := lineOf(d.text, p.Position)
	items := protocol.CompletionItemSlice{}
	for _, i := range configfile.Complete(linesOf(d.text), line, offset) {
		items = append(items, s.completion(d.text, line, i))
	}
	return items, nil
}

// completion returns an item in the protocol's form.
func (s *Server) completion(t *text.Text, line int, i configfile.Item) protocol.CompletionItem {
	start := t.Start(line)
	item := protocol.CompletionItem{
		Label: i.Label, Kind: protocol.CompletionItemKindProperty,
		TextEdit: &protocol.TextEdit{Range: span(t, start+i.From, start+i.To), NewText: i.Insert},
	}
	if i.Value {
		item.Kind = protocol.CompletionItemKindValue
	}
	if i.Detail != "" {
		item.Detail = protocol.NewOptional(i.Detail)
	}
	if i.Doc != "" {
		item.Documentation = &protocol.MarkupContent{Kind: s.caps.hoverKind(), Value: i.Doc}
	}
	return item
}

// explainSetting is the hover of a configuration; nil where there is no key.
func (s *Server) explainSetting(d *document, at protocol.Position) *protocol.Hover {
	line, offset := lineOf(d.text, at)
	note, ok := configfile.Hover(linesOf(d.text), line, offset)
	if !ok {
		return nil
	}
	start := d.text.Start(line)
	r := span(d.text, start+note.From, start+note.To)
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: s.caps.hoverKind(), Value: note.Text}, Range: &r}
}

// lineOf returns the line of a position, and the bytes before it in the line.
func lineOf(t *text.Text, at protocol.Position) (line, offset int) {
	byteOffset := t.Offset(text.Position(at))
	line = t.LineAt(byteOffset)
	return line, byteOffset - t.Start(line)
}

// mistakes returns what is wrong with a configuration, as `ctxledger config validate` does.
func (s *Server) mistakes(d *document) []protocol.Diagnostic {
	if !d.isConfiguration() {
		return nil
	}
	var list []protocol.Diagnostic
	for _, p := range config.Check(s.o.Env, path.Base(d.uri.Path()), d.text.Bytes(0, d.text.Len())) {
		message := p.Message
		if p.Hint != "" {
			message += " (" + p.Hint + ")"
		}
		list = append(list, protocol.Diagnostic{
			Range: rangeOf(d.text, p), Severity: severityOf(p.Severity), Source: protocol.NewOptional(section),
			Code: protocol.String(p.Code), Message: protocol.String(chars.Line(s.sanitize(message))),
		})
	}
	return list
}

// rangeOf returns the range of a problem, whose columns are characters.
func rangeOf(t *text.Text, p config.Problem) protocol.Range {
	line := min(max(p.Line, 1), t.Lines()) - 1
	from, to := t.Line(line)
	raw := t.Bytes(from, to)
	if line == 0 {
		skip := len("\ufeff")
		if strings.HasPrefix(string(raw), "\ufeff") {
			from, raw = from+skip, raw[skip:]
		}
	}
	if p.Column < 1 {
		return span(t, from, to)
	}
	return span(t, from+bytesIn(raw, p.Column-1), from+bytesIn(raw, p.End-1))
}

// bytesIn returns the length of the first n characters of a text.
func bytesIn(raw []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(raw); n-- {
		_, size := utf8.DecodeRune(raw[i:])
		i += size
	}
	return i
}

func severityOf(s config.Severity) protocol.DiagnosticSeverity {
	switch s {
	case config.Error:
		return protocol.DiagnosticSeverityError
	case config.Warning:
		return protocol.DiagnosticSeverityWarning
	}
	return protocol.DiagnosticSeverityInformation
}
