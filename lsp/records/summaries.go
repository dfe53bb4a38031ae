package records

import (
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/chars"
)

// summary is the node of a compaction.
func (r Reader) summary(b branch, s engine.Summary) Node {
	return Node{
		ID: b.here + "/" + s.ID, Kind: KindSummary, Label: "Summary of turns " + turns(s), Handle: s.ID,
		Description: fields(" · ", s.TokensBefore.String()+" → "+s.TokensAfter.String()+" tokens", state(s), r.stamp(s.Created)),
		Tooltip: fields("\n", named("summary", s.ID), named("stands for turns", turns(s)), named("state", state(s)), named("mode", string(s.Mode)),
			named("made because", s.Reason), named("made", r.stamp(s.Created)), named("view before", s.TokensBefore.String()+" tokens"),
			named("view after", s.TokensAfter.String()+" tokens"), named("the summary itself", s.TextTokens.String()+" tokens")),
		URI: Address{Kind: KindSummary, ID: s.ID}.String(),
	}
}

// turns names the turns that a summary stands for.
func turns(s engine.Summary) string { return chars.Commas(s.TurnFrom) + "–" + chars.Commas(s.TurnTo) }

// state says where a summary stands now.
func state(s engine.Summary) string {
	switch {
	case s.Restored != nil:
		return "taken back"
	case s.Current:
		return "in the view"
	}
	return "part of a later one"
}
