package lsp

import (
	"bytes"
	"context"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/outline"
)

// diagnostic answers requests for diagnostics. Clients that do not send them get notifications: see publish.
func (s *folder) diagnostic(_ context.Context, d *document,
	_ *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", Items: s.diagnostics(d)},
	}, nil
}

// diagnostics returns the findings of a document in the protocol's form.
func (s *folder) diagnostics(d *document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for _, f := range anyfile.Findings(s.file(d), s.snapshot().settings.Diagnostics) {
		list = append(list, informs(d, f.From, f.To, f.Code, f.Message))
	}
	return list
}

// informs returns a finding in the protocol's form.
func informs(d *document, from, to int, code, message string) protocol.Diagnostic {
	return protocol.Diagnostic{Range: span(d.text, from, to), Severity: protocol.DiagnosticSeverityInformation,
		Source: protocol.NewOptional(section), Code: protocol.String(code), Message: protocol.String(message)}
}

// examine schedules publishing the findings of a document, if the client does not request them. It requests none where
// the settings ask for none, so what is wrong with a configuration is always published.
func (s *Server) examine(d *document) {
	if !s.caps.pull || s.tells(d.uri) {
		s.pending.document(d.uri)
	}
}

// tells reports whether findings of a document are published whatever the settings and the client ask for: those of a
// configuration, of a file that agents load, and of what may be a context graph.
func (s *Server) tells(u uri.URI) bool {
	d := s.documents.get(u)
	settings := s.snapshot().settings
	return configures(u) || settings.AgentFiles && couldBeAgentFile(u) ||
		settings.Graphs && d != nil && d.language == outline.Markdown
}

// reported is what was published of a document: its name as the client spells it, and the message as JSON.
type reported struct {
	uri  uri.URI
	said []byte
}

// publish sends the findings of a document: those that the client has only if the document itself is another one. An empty
// list is sent only after one that was not.
func (n *notifier) publish(u uri.URI, another bool) {
	before := n.reported[u]
	if before.uri == "" && len(n.snapshot().settings.Diagnostics) == 0 && !n.tells(u) {
		return
	}
	p := &protocol.PublishDiagnosticsParams{URI: before.uri, Diagnostics: []protocol.Diagnostic{}}
	d := n.Server.documents.get(u)
	if d != nil && d.folder.early.Err() == nil {
		return // see tellFirst
	}
	if d != nil {
		p.URI, p.Version, p.Diagnostics = d.spelled, protocol.NewOptional(d.version), d.folder.published(d)
		n.Server.documents.looked(u)
	}
	raw, err := protocol.Marshal(p)
	now := reported{p.URI, raw}
	switch {
	case err == nil && !another && now.uri == before.uri && bytes.Equal(now.said, before.said):
		return
	case len(p.Diagnostics) > 0:
		n.reported[u] = now
	case before.uri == "":
		return
	default:
		delete(n.reported, u)
	}
	if err == nil {
		err = n.conn.Notify(n.life, protocol.MethodTextDocumentPublishDiagnostics, jsonrpc2.RawMessage(raw))
	}
	if err != nil {
		n.o.Log.Warn("diagnostics", "why", err.Error())
	}
}

// published returns what is published of a document: what is wrong with a configuration, and the findings, unless the
// client requests those.
func (s *folder) published(d *document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	if !s.caps.pull {
		list = s.diagnostics(d)
	}
	return slices.Concat(list, s.mistakes(d), s.agentFindings(s.life, d), s.graphFindings(d))
}
