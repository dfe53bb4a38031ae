package statements

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordsOf returns the words of a text in lower case, with apostrophes and hyphens inside; of scripts without spaces
// each two characters in a row.
func wordsOf(text string) []string { return firstWords(text, len(text)) }

// firstWords returns the first of these words, at most so many.
func firstWords(text string, most int) []string {
	out := make([]string, 0, min(most, len(text)/6)+1)
	start, wide, last := -1, false, 0
	end := func(i int) {
		if start >= 0 {
			out = append(out, strings.ToLower(strings.Trim(strings.ReplaceAll(text[start:i], "’", "'"), "'-")))
		}
		start = -1
	}
	for i, r := range text {
		if len(out) >= most {
			return out
		}
		switch {
		case r >= unspacedFrom && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end(i)
			if wide {
				out = append(out, text[last:i+utf8.RuneLen(r)])
			}
			wide, last = true, i
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case start >= 0 && (r == '\'' || r == '’' || r == '-'):
		default:
			end(i)
		}
		wide = false
	}
	end(len(text))
	return out
}

// identifiersOf returns what looks like a name of code, a path, a command's flag or a number with digits enough to
// matter.
func identifiersOf(text string) []string {
	var out []string
	isPart := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '-' <= r && r <= ':' || r == '_' // "-./", digits, ":"
	}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isPart(r) }) {
		if w = strings.Trim(w, "./-:"); identifierLike(w) {
			out = append(out, w)
		}
	}
	return out
}

// identifierLike reports whether a word is none of a natural language.
func identifierLike(w string) bool {
	if len(w) < 3 || len(w) > 200 {
		return false
	}
	if strings.ContainsAny(w, "_/") || len(w) >= 6 && strings.ContainsAny(w, ".:") {
		return true
	}
	lower, upper, digits := false, 0, 0
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			if lower {
				return true // camelCase
			}
			upper++
		default:
			lower = lower || unicode.IsLower(r)
		}
	}
	return digits > 0 && (upper > 0 || lower || digits >= 3) || upper >= 3 && !lower
}
