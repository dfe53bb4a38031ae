package compaction

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
	"ctxledger.dev/internal/chars"
)

// fit returns text with at most limit tokens: its head and tail around a mark that gives the size of the missing
// part and its handle.
func (s *source) fit(text string, limit int, id string) string {
	limit = max(limit, 24)
	const widest = 16 // bytes of one token, about, at most
	if len(text) <= limit || len(text) <= limit*widest && layout.Count(text) <= limit {
		return text
	}
	all := utf8.RuneCountInString(text)
	head, tail := limit*3, limit*3/2 // a token has four and a half characters, at most
	for range 16 {
		if head+tail >= all {
			head, tail = all/2, all/4
		}
		h, t := wordBefore(text, len(chars.Head(text, head))), wordAfter(text, len(text)-len(chars.Tail(text, tail)))
		short := text[:h] + leftOut(utf8.RuneCountInString(text[h:t]), id) + text[t:]
		if layout.Count(short) <= limit {
			return short
		}
		head, tail = head*7/8, tail*7/8
	}
	return quote.Clip(text, limit)
}

// fetchChars is how many characters are left out of a text at least where it says how to read it back
// alone: the whole history can be read anyway.
const fetchChars = 1_000

// leftOut marks n characters that are left out of a text.
func leftOut(n int, id string) string {
	mark := " […" + chars.Commas(n) + " characters left out"
	if n >= fetchChars {
		mark += `: read_artifact(id="` + handleOf(id) + `")`
	}
	return mark + "…] "
}

// wordBefore moves a cut back to the end of a word, where there is one close by, wordAfter forward to the
// start of one.
func wordBefore(s string, i int) int {
	if at := strings.LastIndexAny(s[max(0, i-longWord):i], " \n"); at >= 0 {
		return max(0, i-longWord) + at
	}
	return i
}

func wordAfter(s string, i int) int {
	if at := strings.IndexAny(s[i:min(len(s), i+longWord)], " \n"); at >= 0 {
		return i + at + 1
	}
	return i
}

// longWord is how far a word may reach that a cut does not part.
const longWord = 24

// handleOf is the handle that a message is read back with: the first twelve digits of its id.
func handleOf(id string) string { return id[:min(len(id), 12)] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
