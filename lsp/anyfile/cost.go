package anyfile

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// Cost is what a file costs.
type Cost struct {
	Tokens tokens.Count // of its text
	// Read is what one call adds that reads the file whole, as Claude Code does: each line with its number in front. It
	// reads readLines lines and cuts those that are longer than maxLine; Cut says that it leaves something out.
	Read tokens.Count
	Cut  bool
}

// readLines is how many lines one call of Claude Code's Read returns.
const readLines = 2_000

// CostOf returns what a file costs.
func CostOf(f File) Cost {
	text, cut := numbered(string(f.Text.Bytes(0, f.Text.Len())))
	return Cost{Tokens: f.Meter.Of(f.Text.Count(0, f.Text.Len())), Read: f.Meter.Counter.Count(text), Cut: cut}
}

// CostOfPart returns the tokens of a part of a file, counted alone.
func CostOfPart(f File, from, to int) tokens.Count { return f.Meter.Of(f.Text.Count(from, to)) }

// numbered returns a text as a call that reads it shows it.
func numbered(text string) (shown string, cut bool) {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > readLines {
			return b.String(), true
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) > maxLine && utf8.RuneCountInString(line) > maxLine {
			line, cut = chars.Head(line, maxLine), true
		}
		if n > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(strconv.Itoa(n) + "\t" + line)
	}
	return b.String(), cut
}
