package tokens

import (
	"cmp"
	"slices"

	"ctxledger.dev/internal/chars"
)

// Count is a number of tokens with what is known of its error.
type Count struct {
	N     int  `json:"n"`     // tokens, the best that is known
	Exact bool `json:"exact"` // N is what the model's own tokenizer gives
	Upper int  `json:"upper"` // upper bound for budgets: N when exact
}

// Scaled is what the N of a Scale and of Measured are tokens for: so many that roundings show in no figure.
const Scaled = 1_000_000_000

// Scale is how content counts whose o200k_base count is known, in a form that can be sent: the Count of Scaled of these tokens.
// Where parts count as shares of Room, which has not so much, Among is what they have together.
type Scale struct {
	N     int  `json:"n"`
	Exact bool `json:"exact"`
	Upper int  `json:"upper"`
	Room  int  `json:"room,omitempty"`
	Among int  `json:"among,omitempty"`
}

// ScaleOf returns the scale of what counts Scaled tokens so.
func ScaleOf(c Count) Scale { return Scale{N: c.N, Exact: c.Exact, Upper: c.Upper} }

// Of returns the count of a text whose o200k_base count is known. A negative one counts as 0.
func (s Scale) Of(o200k int) Count { return s.Total(Amount{O200k: o200k}) }

// Total returns the count of an amount. A negative one counts as 0.
func (s Scale) Total(a Amount) Count {
	weight := max(0, a.O200k*s.N+a.Counted)
	n, usual := (weight+Scaled/2)/Scaled, weight/max(s.N, 1)
	if s.Among > 0 {
		n = int(int64(n) * int64(s.Room) / int64(s.Among))
	}
	return Count{N: n, Exact: s.Exact, Upper: max(n, (usual*s.Upper+Scaled-1)/Scaled)}
}

// Amount is content of a session, whose requests may tell how the provider counted some of it.
type Amount struct {
	O200k   int `json:"o200k,omitempty"`   // o200k_base tokens of what no request tells
	Counted int `json:"counted,omitempty"` // what the provider counted of the rest, times Scaled
}

// Plus returns two amounts together.
func (a Amount) Plus(b Amount) Amount { return Amount{a.O200k + b.O200k, a.Counted + b.Counted} }

// Measured is how the provider counted the entries of a session from one on: tokens for Scaled of o200k_base; 0: no request tells.
type Measured struct {
	From int64 `json:"from"`
	N    int   `json:"n"`
}

// MeasuredAt returns how an entry was counted, of a list in order.
func MeasuredAt(rates []Measured, seq int64) int {
	i, found := slices.BinarySearchFunc(rates, seq, func(r Measured, seq int64) int { return cmp.Compare(r.From, seq) })
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return rates[i].N
}

// AmountOf returns the amount of content of an entry that was counted at a rate; 0: no request tells.
func AmountOf(o200k, rate int) Amount {
	if rate == 0 {
		return Amount{O200k: o200k}
	}
	return Amount{Counted: o200k * rate}
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
