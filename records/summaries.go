package records

import (
	"context"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// summary returns the node of a compaction.
func (r Reader) summary(b branch, s ledger.Summary) Node {
	return Node{
		ID: b.here + "/" + s.ID, Kind: KindSummary, Label: summaryName(s), Handle: s.ID,
		Description: fields(" · ", s.Became(), state(s),
			r.stamp(s.Created)),
		Tooltip: fields("\n", named("summary", s.ID), named("replaces turns", turns(s)), named("state", state(s)),
			named("mode", string(s.Mode)),
			named("made because", s.Reason), named("made", r.stamp(s.Created)), named("view before",
				s.TokensBefore.Tokens()),
			named("view after", s.TokensAfter.Tokens()), named("the summary itself",
				s.TextTokens.Tokens())),
		Restorable: s.Restored == nil, opens: Address{Kind: KindSummary, ID: s.ID},
	}
}

// summaryName returns the name of a summary's row, tab and document.
func summaryName(s ledger.Summary) string { return "Summary of turns " + turns(s) }

// turns returns the range of turns that a summary replaces.
func turns(s ledger.Summary) string { return chars.Commas(s.TurnFrom) + "–" + chars.Commas(s.TurnTo) }

// state returns the state of a summary.
func state(s ledger.Summary) string {
	switch {
	case s.Restored != nil:
		return "undone"
	case s.Current:
		return "in the view"
	}
	return "part of a later one"
}

// summaryText returns a summary with what it removed from the view and how to restore it.
func (r Reader) summaryText(ctx context.Context, id string) (string, error) {
	s, err := r.API.Summary(ctx, ledger.SummaryRequest{ID: id})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# " + summaryName(s) + "\n\n" +
		item("summary `"+s.ID+"` of session `"+s.Session+"`, "+state(s)+", made "+r.stamp(s.Created)) +
		item(fields(" · ", "mode "+code(string(s.Mode)), code(flat(s.Reason)), code(flat(s.Model)))) +
		item("the view: "+s.Became()+"; the summary itself has "+s.TextTokens.String()) +
		item("`ctxledger artifact read "+s.ID+"` prints what it replaced, `ctxledger restore "+s.ID+"` undoes it") +
		"\n## What the agent sees\n\n" + Fence(s.Text, "markdown"))
	if len(s.Cut) > 0 {
		b.WriteString("\n## What left the view, most expensive first\n\n")
	}
	for _, c := range s.Cut {
		what, err := r.brief(ctx, flat(c.Label), maxTarget)
		if err != nil {
			return "", err
		}
		b.WriteString(item(fields(" ", code(what), s.Of(c).Tokens()+",", "`"+c.Handle+"`")))
	}
	if n := s.CutTotal - len(s.Cut); n > 0 {
		b.WriteString(item(chars.Commas(n) + " more"))
	}
	return r.finish(ctx, b.String(), "`ctxledger diff --json "+s.ID+"`")
}
