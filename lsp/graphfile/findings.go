package graphfile

import (
	"fmt"
	"slices"

	"ctxledger.dev/graph"
	"ctxledger.dev/internal/chars"
)

// mostFindings is how many findings are shown of a document: an editor gets all of them again after each key.
const mostFindings = 300

// Findings returns what is to be known about a document: of very many those that are most serious, and how many more there
// are.
func Findings(f File) []graph.Finding {
	all := slices.DeleteFunc(graph.Found(f.Document, f.Around), func(x graph.Finding) bool {
		return x.Code == graph.Sums // the lenses say it
	})
	more := len(all) - mostFindings
	if more <= 0 {
		graph.Sort(all)
		return all
	}
	shown := make([]graph.Finding, 0, mostFindings)
	for _, severity := range []graph.Severity{graph.Error, graph.Warning, graph.Information, graph.Hint} {
		for _, x := range all {
			if x.Severity == severity && len(shown) < mostFindings {
				shown = append(shown, x)
			}
		}
	}
	graph.Sort(shown)
	last := &shown[mostFindings-1]
	last.Message += fmt.Sprintf(" (and %s more; ctxledger graph check lists all)", chars.Plural(more, "finding"))
	return shown
}

// Check returns all findings about a document.
func Check(f File) []graph.Finding {
	return graph.Check(f.Document, f.Around)
}
