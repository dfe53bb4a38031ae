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

// maxOpen bounds the open documents. Editors have tens.
const maxOpen = 10_000

// opening is the parameters of didOpen. The library's type copies the text more than once and does not keep the client's
// spelling of the URI.
type opening struct {
	TextDocument struct {
		URI        string  `json:"uri"`
		LanguageID string  `json:"languageId"`
		Version    int32   `json:"version"`
		Text       content `json:"text"`
	} `json:"textDocument"`
}

// content is a text that decoding copies only once.
type content []byte

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *content) UnmarshalText(p []byte) error {
	*c = bytes.Clone(p)
	return nil
}

// didOpen opens a document. Its text is not analysed before the first request.
func (s *Server) didOpen(p *opening) error {
	if s.documents.count() >= maxOpen {
		return fault.New(fault.TooLarge, "lsp.open", "more than %d open documents", maxOpen)
	}
	d := p.TextDocument
	u, err := uri.Parse(d.URI)
	if err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "uri: %.1000s", err.Error())
	}
	f := s.folderOf(u)
	doc := document{
		uri: u, spelled: uri.URI(d.URI), folder: f, path: f.workspace.inside(u),
		language: outline.LanguageOf(d.LanguageID, u.Path()),
	}
	opened := f.open(func(e *tokens.Encoding) *document { return doc.with(d.Version, text.New(e, d.Text)) })
	s.renew(u)
	s.examine(opened)
	return nil
}
