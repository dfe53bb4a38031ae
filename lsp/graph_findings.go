package lsp

import (
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/graphfile"
	"ctxledger.dev/records"
)

// graphFindings returns what is to be known about a context graph.
func (s *folder) graphFindings(d *document) []protocol.Diagnostic {
	f, ok := s.graphFile(d)
	if !ok {
		return nil
	}
	found := graphfile.Findings(f)
	list := make([]protocol.Diagnostic, 0, len(found))
	for _, x := range found {
		list = append(list, s.graphDiagnostic(d, x))
	}
	return list
}

// graphDiagnostic returns a finding in the protocol's form.
func (s *Server) graphDiagnostic(d *document, x graph.Finding) protocol.Diagnostic {
	one := protocol.Diagnostic{Range: span(d.text, x.At.From, x.At.To), Severity: graphSeverities[x.Severity],
		Source: protocol.NewOptional(section), Code: protocol.String(x.Code),
		Message: protocol.String(chars.Short(chars.Line(x.Message), maxMessage))}
	if s.caps.contents {
		one.CodeDescription.Href = uri.URI(findingAddress + x.Code + ".md")
	}
	for _, r := range x.Related {
		one.RelatedInformation = append(one.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: d.spelled, Range: span(d.text, r.At.From, r.At.To)},
			Message:  plainLine(r.Message)})
	}
	return one
}

// graphSeverities maps severities to the protocol's.
var graphSeverities = map[graph.Severity]protocol.DiagnosticSeverity{
	graph.Error:       protocol.DiagnosticSeverityError,
	graph.Warning:     protocol.DiagnosticSeverityWarning,
	graph.Information: protocol.DiagnosticSeverityInformation,
	graph.Hint:        protocol.DiagnosticSeverityHint,
}

// findingAddress begins the addresses of the documents that explain codes of findings.
const findingAddress = records.Scheme + ":/finding/"

// explained returns the document that explains a code; ok is false for another address.
func explainedFinding(address string) (text string, ok bool) {
	code, ok := strings.CutPrefix(address, findingAddress)
	if !ok {
		return "", false
	}
	for _, c := range graph.Codes() {
		if c.Code+".md" == code {
			return "# " + c.Code + "\n\n" + c.Means + ".\n\nWhat to do: " + c.Remedy + ".\n\n" +
				"Severity: " + c.Severity + ".\n\n" +
				"A line `<!-- ctx-disable-next-line " + c.Code + " -->` above, or `# ctx-disable-next-line " + c.Code +
				"` in an operation, silences it.\n", true
		}
	}
	return "", false
}
