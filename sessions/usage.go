package sessions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// Usage is what a provider reported as used, in tokens.
type Usage struct {
	Input      int64 `json:"input"`                  // uncached input
	Output     int64 `json:"output"`                 // generated
	CacheRead  int64 `json:"cache_read"`             // input read from the prompt cache
	CacheWrite int64 `json:"cache_write"`            // input written to the prompt cache
	CacheLong  int64 `json:"cache_long,omitempty"`   // of CacheWrite, what stays there for an hour and not for minutes
	Searches   int64 `json:"web_searches,omitempty"` // by the provider, which asks a fee for each; no tokens
	Reasoning  int64 `json:"reasoning,omitempty"`    // of Output, where the provider tells it apart
}

// Prompt returns all input of a request, cached or not.
func (u Usage) Prompt() int { return int(u.Input + u.CacheRead + u.CacheWrite) }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite,
		u.CacheLong + v.CacheLong, u.Searches + v.Searches, u.Reasoning + v.Reasoning}
}

// Minus returns the usage without a part of it.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Input - v.Input, u.Output - v.Output, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite,
		u.CacheLong - v.CacheLong, u.Searches - v.Searches, u.Reasoning - v.Reasoning}
}

// Used returns the usage by what is paid for it.
func (u Usage) Used() tokens.Used {
	return tokens.Used{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite - u.CacheLong,
		CacheWriteLong: u.CacheLong, Output: u.Output, Searches: u.Searches}
}

// Charge is what was used of one model under the same terms.
type Charge struct {
	Model string       `json:"model,omitempty"`
	Terms tokens.Terms `json:"terms,omitzero"`
	Usage
}

// Bill is all that was charged. Of an answer it has each call of a model that its provider made for it, in their order.
type Bill []Charge

// MaxBill bounds the charges of a bill. Models and terms beyond are charged together, to a model without a price.
const MaxBill = 64

// several is the model of what was charged beyond MaxBill.
const several = "(several)"

// Add adds a charge to that of the same model and terms.
func (b *Bill) Add(c Charge) {
	same := func(x Charge) bool { return x.Model == c.Model && x.Terms == c.Terms }
	i := slices.IndexFunc(*b, same)
	if i < 0 && len(*b) >= MaxBill-1 {
		c.Model, c.Terms = several, tokens.Terms{}
		i = slices.IndexFunc(*b, same)
	}
	if i < 0 {
		*b = append(*b, Charge{Model: c.Model, Terms: c.Terms})
		i = len(*b) - 1
	}
	(*b)[i].Usage = (*b)[i].Usage.Add(c.Usage)
}

// Remove takes a charge off that of the same model and terms, or where there is none, off that of another model.
func (b *Bill) Remove(c Charge, other string) {
	if !slices.ContainsFunc(*b, func(x Charge) bool { return x.Model == c.Model && x.Terms == c.Terms }) {
		c.Model, c.Terms = other, tokens.Terms{}
	}
	c.Usage = Usage{}.Minus(c.Usage)
	b.Add(c)
}

// After returns a later report of the usage, with what only an earlier one knows: what was read, where the later one has
// the output alone, and how long the cache keeps what was written.
func (u Usage) After(was Usage) Usage {
	if u.Prompt() == 0 {
		u.Input, u.CacheRead, u.CacheWrite = was.Input, was.CacheRead, was.CacheWrite
	}
	u.CacheLong = min(max(u.CacheLong, was.CacheLong), u.CacheWrite)
	return u
}

// After returns a later report of an answer's bill, with what only an earlier one knows: terms of a call, and calls of
// other models.
func (b Bill) After(was Bill) Bill {
	all := slices.Clone(b)
	seen := map[string]int{} // calls of a model in the earlier one
	for i, old := range was {
		calls := b.of(old.Model)
		n := seen[old.Model]
		seen[old.Model]++
		switch {
		case n < len(calls):
			c := &all[calls[n]]
			c.Usage = c.Usage.After(old.Usage)
			c.Terms.Named = tokens.TermsOf(0, strings.Fields(old.Terms.Named+" "+c.Terms.Named)...).Named
		case i == 0 && len(b) > 0 && len(was.of(b[0].Model)) == 0: // only the model's name is another one
		case len(calls) == 0 && len(all) < MaxBill:
			all = append(all, old)
		}
	}
	return all
}

// of returns which charges are those of a model.
func (b Bill) of(model string) (at []int) {
	for i, c := range b {
		if c.Model == model {
			at = append(at, i)
		}
	}
	return at
}

// Since returns what the bill of an answer adds to what was known of it before.
func (b Bill) Since(was Bill) (more Bill) {
	for i := range max(len(b), len(was)) {
		var now, old Charge
		if i < len(b) {
			now = b[i]
		}
		if i < len(was) {
			old = was[i]
		}
		if i < len(b) && i < len(was) && now.Model == old.Model && now.Terms == old.Terms {
			now.Usage, old.Usage = now.Minus(old.Usage), Usage{}
		}
		old.Usage = Usage{}.Minus(old.Usage)
		for _, c := range []Charge{old, now} {
			if c.Usage != (Usage{}) {
				more = append(more, c)
			}
		}
	}
	return more
}

// Sum returns the sum of what was charged.
func (b Bill) Sum() (sum Usage) {
	for _, c := range b {
		sum = sum.Add(c.Usage)
	}
	return sum
}

// Cost is what a bill comes to at list prices.
type Cost struct {
	Dollars *float64 `json:"cost_usd,omitempty"` // of what has a price; nil: nothing has one, or nothing was used
	// Unpriced is what has none, and is not in Dollars; nil: everything has one.
	Unpriced *Unpriced `json:"unpriced,omitempty"`
}

// Unpriced is what was used of models whose price is not known, or that of their searches.
type Unpriced struct {
	Models   []string `json:"models"` // in the order of the bill
	Tokens   int64    `json:"tokens"`
	Searches int64    `json:"web_searches,omitempty"`
}

// Cost returns what the bill comes to, as an audit counts it.
func (b Bill) Cost(models *tokens.Registry) (cost Cost) {
	sum := 0.0
	for _, c := range b {
		if c.Usage == (Usage{}) {
			continue
		}
		rates := models.Rates(c.Model, c.Terms)
		x := rates.Cost(c.Used())
		if sum += x.Dollars; rates.Known || x.Dollars > 0 {
			cost.Dollars = &sum
		}
		if x.Unpriced != 0 || x.Searches != 0 {
			cost.lack(cmp.Or(c.Model, "(unnamed)"), Unpriced{Tokens: x.Unpriced, Searches: x.Searches})
		}
	}
	return cost
}

// lack adds what has no price of a model.
func (c *Cost) lack(model string, u Unpriced) {
	if c.Unpriced == nil {
		c.Unpriced = &Unpriced{}
	}
	all := c.Unpriced
	all.Tokens, all.Searches = all.Tokens+u.Tokens, all.Searches+u.Searches
	if !slices.Contains(all.Models, model) {
		all.Models = append(all.Models, model)
	}
}

// String says it: "1,100 tokens of foo without a known price".
func (u Unpriced) String() string {
	const named = 3
	names := strings.Join(u.Models[:min(len(u.Models), named)], ", ")
	if more := len(u.Models) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	text := chars.Plural(u.Tokens, "token")
	if u.Searches > 0 {
		text += " (web searches: " + chars.Commas(u.Searches) + ")"
	}
	return text + " of " + chars.Line(names) + " without a known price"
}

// Words says both: "$1.20 at list prices, and 1,100 tokens of foo without a known price"; "" for nothing.
func (c Cost) Words() string {
	var said []string
	if c.Dollars != nil {
		said = append(said, chars.Money(*c.Dollars, true)+" at list prices")
	}
	if c.Unpriced != nil {
		said = append(said, c.Unpriced.String())
	}
	return strings.Join(said, ", and ")
}

// Billed returns what the entry adds to the costs of its session.
func (e *Entry) Billed() Bill {
	switch {
	case e.Copied:
		return nil
	case e.Bill != nil || e.Usage == nil:
		return e.Bill
	}
	return Bill{{Model: e.Model, Usage: *e.Usage}}
}

// Charge adds costs to those of the session. Its model is that of charges without one.
func (s *Session) Charge(b Bill) {
	s.Bill = slices.Clone(s.Bill)
	for _, c := range b {
		c.Model = cmp.Or(c.Model, s.Model)
		s.Bill.Add(c)
		s.Usage = s.Usage.Add(c.Usage)
	}
}

// Billed returns what the session cost. What was recorded before there were bills is charged to its newest model.
func (s *Session) Billed() Bill {
	bill := slices.Clone(s.Bill)
	if rest := s.Usage.Minus(bill.Sum()); rest != (Usage{}) {
		bill.Add(Charge{Model: s.Model, Usage: rest})
	}
	return bill
}
