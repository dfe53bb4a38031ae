package carryover

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/tokens"
)

// wordsPerLine is how the word list is broken into lines.
const wordsPerLine = 20

// WordList returns the last messages of the user, at most half of the length, and behind them the
// identifiers that were said before, often and recently said ones first, and nothing else: at most
// budget o200k_base tokens.
func (p *Point) WordList(budget int) string {
	var b strings.Builder
	left := budget
	for i := len(p.requests) - 1; i >= 0; i-- {
		said := p.requests[i] + "\n"
		n := tokens.O200kBase.CountString(said)
		if n > left-budget/2 {
			continue
		}
		left -= n
		b.WriteString(said)
	}
	for i, id := range p.ranked {
		sep := " "
		if i%wordsPerLine == wordsPerLine-1 {
			sep = "\n"
		}
		n := tokens.O200kBase.CountString(id + sep)
		if left -= n; left < 0 {
			break
		}
		b.WriteString(id + sep)
	}
	return b.String()
}

// Tail returns the end of what was said before, verbatim: at most budget o200k_base tokens.
func (p *Point) Tail(budget int) string {
	const widest = 16 // bytes of one token, at most, but in runs of one character
	s := p.before
	s = s[max(0, len(s)-budget*widest):]
	// The longest end that fits, by halving: counts grow with the length.
	from, to := 0, len(s)
	for from < to {
		mid := (from + to) / 2
		if tokens.O200kBase.CountString(s[mid:]) <= budget {
			to = mid
		} else {
			from = mid + 1
		}
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return s[to:]
}
