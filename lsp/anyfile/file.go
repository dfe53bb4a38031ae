package anyfile

import (
	"fmt"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// File is a document at one moment, with what counts are for.
type File struct {
	Text    *text.Text
	Outline *outline.Outline // empty for a text that is longer than MaxOutlined
	Meter   Meter
	Path    string    // as the ledger has it; "" for what is no file
	Use     live.File // what the live session did with it
	// Ignored reports whether git ignores the file; nil: nobody can tell.
	Ignored func() bool
}

// MaxOutlined is the length in bytes of the longest text that is looked into. Of a longer one there is the
// cost of the whole.
const MaxOutlined = 8 << 20

// Meter says what a count is worth.
type Meter struct {
	Counter tokens.Counter
	Window  int // of the model, in tokens; 0: unknown
}

// Of returns the count of a text that has n tokens in the encoding of the counter.
func (m Meter) Of(n int) tokens.Count {
	if m.Counter.Exact() {
		return tokens.Count{N: n, Exact: true, Upper: n}
	}
	return m.Counter.Of(n)
}

// OfView returns the count of what the ledger counted: in o200k_base, whatever the counter's encoding.
func (m Meter) OfView(n int) tokens.Count { return m.Counter.Of(n) }

// Say returns a count in words, with its share of the window where that is known: "1,234 tokens · 0.6 % of
// 200,000".
func (m Meter) Say(n int) string {
	c := m.Of(n)
	unit := " tokens"
	if c.N == 1 {
		unit = " token"
	}
	if m.Window == 0 {
		return c.String() + unit
	}
	return c.String() + unit + " · " + share(c.N, m.Window) + " of " + chars.Commas(m.Window)
}

// share returns a part of something in percent.
func share(n, of int) string {
	p := 100 * float64(n) / float64(of)
	switch {
	case p > 0 && p < 0.1:
		return "< 0.1 %"
	case p < 10:
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// cost returns the tokens of a section.
func (f File) cost(s outline.Section) int { return f.Text.Count(s.From, s.To) }
