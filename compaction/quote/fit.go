package quote

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
)

// Fit returns text with at most limit tokens: its head and tail around a mark that gives the size of the missing
// part and its handle.
func Fit(text string, limit int, handle string) string {
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
		h, t := wordBefore(text, len(chars.Head(text, head))), WordAfter(text, len(text)-len(chars.Tail(text, tail)))
		short := text[:h] + leftOut(utf8.RuneCountInString(text[h:t]), handle) + text[t:]
		if layout.Count(short) <= limit {
			return short
		}
		head, tail = head*7/8, tail*7/8
	}
	return Clip(text, limit)
}

// fetchChars is how many characters are left out of a text at least where it says how to read it back
// alone: the whole history can be read anyway.
const fetchChars = 1_000

// leftOut marks n characters that are left out of a text.
func leftOut(n int, handle string) string {
	mark := " […" + chars.Commas(n) + " characters left out"
	if n >= fetchChars {
		mark += `: read_artifact(id="` + handle + `")`
	}
	return mark + "…] "
}

// wordBefore moves a cut back to the end of a word, where there is one close by.
func wordBefore(s string, i int) int {
	if at := strings.LastIndexAny(s[max(0, i-longWord):i], " \n"); at >= 0 {
		return max(0, i-longWord) + at
	}
	return i
}

// WordAfter moves a cut forward to the start of a word, where there is one close by.
func WordAfter(s string, i int) int {
	if at := strings.IndexAny(s[i:min(len(s), i+longWord)], " \n"); at >= 0 {
		return i + at + 1
	}
	return i
}

// longWord is how far a word may reach that a cut does not part.
const longWord = 24
