package records

import (
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// Compacted describes the result of a compaction in one line and returns the URI of its document, "" for none. A
// compaction changes the ledger's view, not the window of a running agent.
func Compacted(p ledger.CompactionPlan) (said, uri string) {
	if p.Outcome != compaction.Compacted {
		return "Session " + p.Session + " was not compacted: " + shown(flat(p.Why)), ""
	}
	s := p.Summary
	return "The ledger's view of session " + p.Session + ": " + s.Became() + ", summary " + s.ID + " for turns " + turns(s) + "; a running agent keeps its window until it takes the summary",
		Address{Kind: KindSummary, ID: s.ID, Title: tab(summaryName(s), extension)}.String()
}

// Restored describes the view after a compaction was undone in one line.
func Restored(summary string, r ledger.RestoreResponse) string {
	said := "Undid summary " + summary
	if len(r.Also) > 0 {
		said += " and those made from it, " + strings.Join(r.Also, ", ")
	}
	said += ": ctxledger's view of session " + r.Session + " has " + r.View()
	if r.Window > 0 && r.Tokens.Upper > r.Window {
		said += "; that may be more than the window of " + chars.Commas(r.Window)
	}
	return said
}

// Forgotten describes in one line what was or would be forgotten.
func Forgotten(f ledger.Forgotten) string {
	said := "Forgot "
	if f.DryRun {
		said = "Would forget "
	}
	if len(f.Counts) == 0 {
		return said + "nothing: the ledger does not hold it"
	}
	var kinds []string
	for _, c := range f.Counts {
		kinds = append(kinds, chars.Plural(c.N, c.Kind))
	}
	said += strings.Join(kinds, ", ")
	const most = 3
	switch n := len(f.Sessions); {
	case n > most:
		said += " in " + chars.Plural(n, "session")
	case n > 0:
		said += " in session " + strings.Join(f.Sessions, ", ")
	}
	if !f.DryRun {
		said += "; summaries and memories may quote it"
	}
	return said
}
