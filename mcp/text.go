package mcp

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// clean makes stored text safe to show: control characters become Unicode's symbols for them, and characters that
// reorder or hide text become U+FFFD. Line ends and tabs stay.
func clean(s string) string {
	if chars.Safe(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case !chars.Hostile(r), r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}

// inline is clean for text that must stay on one line unchanged, such as a path: breaks and tabs become symbols.
func inline(s string) string {
	return strings.NewReplacer("\r\n", "\u2424", "\n", "\u2424", "\t", "\u2409").Replace(clean(s))
}

// oneLine returns stored text for use in a sentence: one line of at most most characters.
func oneLine(s string, most int) string {
	return chars.Short(strings.Join(strings.Fields(clean(s)), " "), most)
}

// count returns the exact o200k_base tokens of a text, the unit of all budgets here.
func count(s string) int { return tokens.O200kBase.CountString(s) }

// upTo returns the longest prefix of s in whole lines that has at most budget tokens, and whether that is all of s.
func upTo(s string, budget int) (string, bool) {
	if count(s) <= budget {
		return s, true
	}
	lines := strings.SplitAfter(s, "\n")
	low, high := 0, len(lines)-1
	for low < high {
		if mid := (low + high + 1) / 2; count(strings.Join(lines[:mid], "")) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return strings.Join(lines[:low], ""), false
}
