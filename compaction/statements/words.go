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
	plain := true // the word has nothing but small letters of ASCII, as most words
	end := func(i int) {
		switch {
		case start >= 0 && plain:
			out = append(out, text[start:i])
		case start >= 0:
			out = append(out, strings.ToLower(strings.Trim(strings.ReplaceAll(text[start:i], "’", "'"), "'-")))
		}
		start, plain = -1, true
	}
	for i, r := range text {
		if len(out) >= most {
			return out
		}
		switch {
		case 'a' <= r && r <= 'z':
			if start < 0 {
				start = i
			}
		case r >= unspacedFrom && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end(i)
			if wide {
				out = append(out, text[last:i+utf8.RuneLen(r)])
			}
			wide, last = true, i
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if plain = false; start < 0 {
				start = i
			}
		case start >= 0 && (r == '\'' || r == '’' || r == '-'):
			plain = false
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
	start, plain := -1, true // plain: nothing but small letters, as most words
	for i := 0; i <= len(text); i++ {
		var c byte
		if i < len(text) {
			c = text[i]
		}
		switch small := 'a' <= c && c <= 'z'; {
		case small || 'A' <= c && c <= 'Z' || '-' <= c && c <= ':' || c == '_': // "-./", digits, ":"
			if plain = plain && small; start < 0 {
				start = i
			}
		case start >= 0:
			if w := text[start:i]; !plain && identifierLike(strings.Trim(w, "./-:")) {
				out = append(out, strings.Trim(w, "./-:"))
			}
			start, plain = -1, true
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
