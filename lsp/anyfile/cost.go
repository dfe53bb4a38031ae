package anyfile

import (
	"strconv"
	"strings"

	"ctxledger.dev/tokens"
)

// What one call of Claude Code's Read returns of a file, tried with 2.1.328: it refuses larger ones, and of those with
// more tokens by the provider's count it returns the beginning. Lines are never cut.
const (
	readBytes  = 256 << 10
	readTokens = 25_000
)

// Cost is what a file costs.
type Cost struct {
	Tokens tokens.Count // of its text
	// Read is what a call adds that reads the file whole: each line with its number in front. 0: the file is too large.
	Read tokens.Count
	Cut  bool // the call returns only the beginning, or nothing
}

// CostOf returns what a file costs.
func CostOf(f File) Cost {
	c := Cost{Tokens: f.whole(), Read: tokens.Count{Exact: true}}
	if f.Text.Len() > readBytes {
		c.Cut = true
		return c
	}
	if c.Tokens.N > readTokens {
		c.Read, c.Cut = tokens.Count{N: readTokens, Upper: readTokens}, true
		return c
	}
	c.Read = f.Meter.Counter.Count(numbered(string(f.Text.Bytes(0, f.Text.Len())))) // as the text itself
	return c
}

// CostOfPart returns the tokens of a part of a file, counted alone.
func CostOfPart(f File, from, to int) tokens.Count { return f.count(from, to) }

// numbered returns a text as a call that reads it shows it. What follows the last line end is a line, too.
func numbered(text string) string {
	var b strings.Builder
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strconv.Itoa(n+1) + "\t" + strings.TrimSuffix(line, "\r"))
	}
	return b.String()
}
