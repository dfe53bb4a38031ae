package tokens

import "ctxledger.dev/internal/chars"

// Count is a number of tokens with what is known of its error.
type Count struct {
	N     int  `json:"n"`     // tokens, the best that is known
	Exact bool `json:"exact"` // N is what the model's own tokenizer gives
	Upper int  `json:"upper"` // upper bound for budgets: N when exact
}

// Scale is how a Counter counts texts whose o200k_base count is known, in a form that can be sent: the Count of one that has
// Scaled of these tokens.
type Scale Count

// Scaled is what Scale is the Count of: so many that roundings show in no figure.
const Scaled = 1_000_000_000

// Of returns the count of a text whose o200k_base count is known. A negative one counts as 0.
func (s Scale) Of(o200k int) Count {
	share := func(n int) int { return int((int64(max(o200k, 0))*int64(n) + Scaled/2) / Scaled) }
	n := share(s.N)
	return Count{N: n, Exact: s.Exact, Upper: max(n, share(s.Upper))}
}

// String returns N with thousands separators, and ≈ before it when it is not exact: ≈12,345.
func (c Count) String() string {
	if c.Exact || c.N == 0 {
		return chars.Commas(c.N)
	}
	return chars.Mark + chars.Commas(c.N)
}

// Tokens returns N as String does, with its noun: 1 token, ≈12,345 tokens.
func (c Count) Tokens() string { return chars.Tokens(c.N, c.Exact) }
