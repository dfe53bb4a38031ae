package records

import (
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// Compacted says in a line what became of a compaction, and which document shows it; "" where there is none. What is
// compacted is the view that the ledger gives: what an agent has in its window meanwhile is the agent's.
func Compacted(p ledger.CompactionPlan) (said, uri string) {
	if p.Outcome != compaction.Compacted {
		return "Session " + p.Session + " was not compacted: " + shown(flat(p.Why)), ""
	}
	s := p.Summary
	return "The ledger's view of session " + p.Session + ": " + s.TokensBefore.String() + " → " + s.TokensAfter.String() + " tokens, summary " + s.ID +
			" for turns " + turns(s) + "; a running agent keeps its window until it takes the summary",
		Address{Kind: KindSummary, ID: s.ID}.String()
}

// Restored says in a line what the view holds after a compaction was taken back.
func Restored(summary string, r ledger.RestoreResponse) string {
	said := "Summary " + summary + " is taken back: the view of session " + r.Session + " has "
	if r.Current != "" {
		said += "summary " + r.Current + " at its head, "
	} else {
		said += "the whole conversation again, "
	}
	said += r.Tokens.String() + " tokens"
	if r.Window > 0 && r.Tokens.Upper > r.Window {
		said += "; that may be more than the window of " + chars.Commas(r.Window)
	}
	return said
}

// Forgotten says in a line what was forgotten, or would be.
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
