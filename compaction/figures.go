package compaction

import "ctxledger.dev/tokens"

// Counted are the sizes of a compaction, in tokens of its model. They are counted once, when the compaction is made, and
// recorded with it: one summary has one figure, wherever it is shown and whenever. An estimate of that day stays what it
// was, whatever is learned of the tokenizer afterwards.
type Counted struct {
	Before tokens.Count `json:"before"` // the whole view
	After  tokens.Count `json:"after"`  // the whole view with the summary in it
	Text   tokens.Count `json:"text"`   // the summary itself
	// Basis is what they rest on, as tokens.Counter.Quality says it; "": they were not recorded when it was made.
	Basis string `json:"basis,omitempty"`
}

// Unrecorded returns the figures of a compaction for which none were recorded, marked as estimates. The counter must
// not have learned: what was measured later does not change them.
func Unrecorded(c tokens.Counter, before, after, text int) Counted {
	out := Counted{Before: c.Of(before), After: c.Of(after), Text: c.Of(text)}
	out.Before.Exact, out.After.Exact, out.Text.Exact = false, false, false
	return out
}

// String says what a compaction replaced and became, in the words of every face: "≈57,453 → ≈11,763 tokens".
func (c Counted) String() string { return c.Before.String() + " → " + c.After.Tokens() }
