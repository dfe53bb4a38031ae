package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
)

// diagnosticMethod reports what is found in a document, to a client that asks. Others are told: see publish.
func diagnosticMethod() method {
	of := func(p *protocol.DocumentDiagnosticParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/diagnostic", of, func(_ context.Context, s *Server, d *document, _ *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
		return &protocol.RelatedFullDocumentDiagnosticReport{
			FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", Items: s.diagnostics(d)},
		}, nil
	})
}

// diagnostics are the findings of a document as the protocol has them.
func (s *Server) diagnostics(d *document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for _, f := range anyfile.Findings(s.file(d), s.known().settings.Diagnostics) {
		severity := protocol.DiagnosticSeverityInformation
		if f.Warning {
			severity = protocol.DiagnosticSeverityWarning
		}
		list = append(list, protocol.Diagnostic{
			Range: span(d.text, f.From, f.To), Severity: severity, Source: protocol.NewOptional(section),
			Code: protocol.String(f.Code), Message: protocol.String(f.Message),
		})
	}
	return list
}

// examine has the findings of a document reported soon, if there are any to report.
func (s *Server) examine(d *document) {
	if !s.able.pull {
		s.news.of(d.uri)
	}
}

// publish tells the findings of a document; that there are none only where there were some.
func (t *teller) publish(u uri.URI) {
	if t.reported[u] == "" && len(t.known().settings.Diagnostics) == 0 {
		return
	}
	p := &protocol.PublishDiagnosticsParams{URI: t.reported[u], Diagnostics: []protocol.Diagnostic{}}
	if d := t.Server.documents.get(u); d != nil {
		p.URI, p.Version, p.Diagnostics = d.spelled, protocol.NewOptional(d.version), t.diagnostics(d)
		t.Server.documents.looked(u)
	}
	switch {
	case len(p.Diagnostics) > 0:
		t.reported[u] = p.URI
	case t.reported[u] == "":
		return
	default:
		delete(t.reported, u)
	}
	if err := t.client.PublishDiagnostics(t.life, p); err != nil {
		t.o.Log.Warn("diagnostics", "why", err.Error())
	}
}
