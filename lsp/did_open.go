package lsp

import (
	"bytes"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// maxOpen is how many documents may be open. What editors keep open are tens.
const maxOpen = 10_000

// opening is the parameters of didOpen. Those of the library decode the text into a copy of the whole message
// and more, and do not keep how the client spells the identifier.
type opening struct {
	TextDocument struct {
		URI        string  `json:"uri"`
		LanguageID string  `json:"languageId"`
		Version    int32   `json:"version"`
		Text       content `json:"text"`
	} `json:"textDocument"`
}

// content is a text that is copied once, when it is decoded.
type content []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *content) UnmarshalText(p []byte) error {
	*c = bytes.Clone(p)
	return nil
}

// didOpenMethod takes in a document. Its text is not looked at before somebody asks about it.
func didOpenMethod() method {
	return notification("textDocument/didOpen", func(s *Server, p *opening) error {
		if s.documents.count() >= maxOpen {
			return fault.New(fault.TooLarge, "lsp.open", "more than %d open documents", maxOpen)
		}
		d := p.TextDocument
		u, err := uri.Parse(d.URI)
		if err != nil {
			return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "uri: %.1000s", err.Error())
		}
		doc := document{
			uri: u, spelled: uri.URI(d.URI), path: s.workspace.inside(u),
			language: outline.LanguageOf(d.LanguageID, u.Path()),
		}
		s.examine(s.open(func(e *tokens.Encoding) *document { return doc.with(d.Version, text.New(e, d.Text)) }))
		return nil
	})
}
