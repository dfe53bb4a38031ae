package report

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// Spent is what requests cost.
type Spent struct {
	Requests int         `json:"requests"`
	Usage    tokens.Used `json:"usage"`
	Dollars  float64     `json:"dollars"`                // at list prices; what has no price is left out
	Fees     float64     `json:"fees_dollars,omitempty"` // of Dollars, what is not paid for tokens: searches
	// Unpriced is how many tokens of Usage have no known price.
	Unpriced int64 `json:"unpriced_tokens,omitempty"`
}

// plus returns the sum of both.
func (s Spent) plus(t Spent) Spent {
	return Spent{s.Requests + t.Requests, s.Usage.Plus(t.Usage), s.Dollars + t.Dollars, s.Fees + t.Fees,
		s.Unpriced + t.Unpriced}
}

// minus returns the difference.
func (s Spent) minus(t Spent) Spent {
	return Spent{s.Requests - t.Requests, s.Usage.Minus(t.Usage), s.Dollars - t.Dollars, s.Fees - t.Fees,
		s.Unpriced - t.Unpriced}
}

// Cost says what it comes to: "$1.20 at list prices, and 1.50 K tokens of models without a known price"; "" where no request
// was measured.
func (s Spent) Cost() string {
	var said []string
	if s.Dollars > 0 {
		said = append(said, chars.Money(s.Dollars, true)+" at list prices")
	}
	unpriced := s.Unpriced
	if s.Dollars == 0 {
		unpriced = s.Tokens()
	}
	if unpriced > 0 {
		said = append(said, Magnitude(float64(unpriced))+" tokens of models without a known price")
	}
	return strings.Join(said, ", and ")
}

// Share returns the part that s is of a whole: in dollars, or where no price is known at all, in tokens.
func (s Spent) Share(whole Spent) float64 {
	if whole.Dollars > 0 {
		return s.Dollars / whole.Dollars
	}
	return float64(s.Tokens()) / float64(max(whole.Tokens(), 1))
}

// Tokens returns all tokens that were sent and received.
func (s Spent) Tokens() int64 { return s.Usage.In() + s.Usage.Output }

// Carried is what a thing took of requests. Its figures are estimates: shares of what was reported.
type Carried struct {
	Tokens  float64 `json:"tokens"`  // when it was sent for the first time
	Sent    float64 `json:"sent"`    // with every request that carried it
	Dollars float64 `json:"dollars"` // of all those requests
}

// Cost prints what it cost, about: in tokens where no price is known.
func (c Carried) Cost() string {
	if c.Dollars > 0 || c.Sent == 0 {
		return chars.Money(c.Dollars, false)
	}
	return "≈" + Magnitude(c.Sent) + " tokens"
}

// plus returns the sum of both.
func (c Carried) plus(d Carried) Carried {
	return Carried{c.Tokens + d.Tokens, c.Sent + d.Sent, c.Dollars + d.Dollars}
}

// Times returns how often a token of it was sent, on average; 0 if none was.
func (c Carried) Times() float64 {
	if c.Tokens == 0 {
		return 0
	}
	return c.Sent / c.Tokens
}

// Often says how often a token of it was sent: "12×"; "" if none was.
func (c Carried) Often() string {
	if c.Tokens == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f×", c.Times())
}

// Tool is what one tool took: the arguments of its calls, and their results.
type Tool struct {
	Name  string `json:"name"`
	Calls int    `json:"calls"`
	Carried
}

// File is what reading one file took.
type File struct {
	Path    string `json:"path"`
	Project string `json:"project,omitempty"`
	Reads   int    `json:"reads"`
	Again   int    `json:"again"`     // reads of it after the first in the same conversation
	Same    int    `json:"unchanged"` // of those, the ones that returned what the last such read had returned
	After   int    `json:"after_compaction"`
	Carried
}

// plus returns the sum of both.
func (f File) plus(g File) File {
	f.Reads, f.Again, f.Same, f.After = f.Reads+g.Reads, f.Again+g.Again, f.Same+g.Same, f.After+g.After
	f.Carried = f.Carried.plus(g.Carried)
	return f
}

// owned says what a piece is counted to.
type owned struct {
	class *Carried
	tool  *Tool // nil: no tool's
	file  *File // nil: no read of a file
	read  *Again
	habit *Carried // nil: none
	least float64  // requests above which it counts as that habit
}

// pay counts what a piece took of so many requests.
func (o owned) pay(requests, sent, dollars float64) {
	c := Carried{Sent: sent, Dollars: dollars}
	if requests > 0 {
		c.Tokens = sent / requests
	}
	*o.class = o.class.plus(c)
	if o.tool != nil {
		o.tool.Carried = o.tool.plus(c)
	}
	if o.file != nil {
		o.file.Carried = o.file.Carried.plus(c)
	}
	if o.read != nil {
		o.read.Carried = o.read.Carried.plus(c)
	}
	if o.habit != nil && requests > o.least {
		*o.habit = o.habit.plus(c)
	}
}

// Again is what was done again after a compaction.
type Again struct {
	Count int `json:"count"`
	Carried
	Examples []string `json:"examples,omitempty"` // at most 10, in order
}
