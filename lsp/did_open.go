package lsp

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
)

// maxOpen is how many documents may be open. What editors keep open are tens.
const maxOpen = 10_000

// didOpenMethod takes in a document. Its text is not looked at before somebody asks about it.
func didOpenMethod() method {
	return method{name: "textDocument/didOpen", accept: func(s *Server, raw jsonrpc2.RawMessage) (answer, error) {
		p, err := params[protocol.DidOpenTextDocumentParams](raw)
		if err != nil {
			return nil, err
		}
		if s.documents.count() >= maxOpen {
			return nil, fault.New(fault.TooLarge, "lsp.open", "more than %d open documents", maxOpen)
		}
		d := p.TextDocument
		doc := document{
			uri: uri.URI(strings.Clone(string(d.URI))), spelled: spelling(raw, d.URI),
			path: s.place.inside(d.URI), language: outline.LanguageOf(string(d.LanguageID), d.URI.Path()),
		}
		opened := doc.with(d.Version, text.New(s.known().meter.Counter.Encoding(), []byte(d.Text)))
		s.documents.put(opened)
		s.examine(opened)
		return nil, nil
	}}
}

// spelling returns the identifier of a document as the client wrote it, which the library does not keep.
// What stands behind it, the text as a rule, is not read.
func spelling(raw []byte, otherwise uri.URI) uri.URI {
	in := json.NewDecoder(bytes.NewReader(raw))
	if enter(in, "textDocument") && enter(in, "uri") {
		if t, err := in.Token(); err == nil {
			if written, ok := t.(string); ok {
				return uri.URI(written)
			}
		}
	}
	return uri.URI(strings.Clone(string(otherwise)))
}

// enter reads an object up to the value of a member. It reports whether there is one.
func enter(in *json.Decoder, member string) bool {
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for in.More() {
		key, err := in.Token()
		if err != nil || key == member {
			return err == nil
		}
		var skipped json.RawMessage
		if in.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}
