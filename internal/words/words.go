// Package words takes text apart into the words that a search compares.
//
// Start at Each, or at Terms for a query; Key compares whole texts. A word is a run of letters, digits
// and underscores, in the form that Key gives it. An identifier made of several words (parseConfig,
// HTTP_SERVER) gives itself and its parts, so that either finds it. Scripts that are written without
// spaces (Han, kana, Hangul) give overlapping pairs of characters.
//
// The package deliberately does no stemming and knows no language: "test" does not become "tests".
// Keys only compare: no text is stored or shown in that form.
package words

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest run taken as one word, in bytes. Longer ones are base64 and the like,
// which is not searched for by word.
const maxWord = 256

// Each calls emit for every word of text, in order, repeated ones too. The slice it passes is
// valid only during the call. Bytes that are not UTF-8 end a word.
func Each(text []byte, emit func(word []byte)) {
	e := each{emit: emit, folder: folder{buf: make([]byte, 0, 2*maxWord)}}
	text = composed(text)
	for i := 0; i < len(text); {
		switch end, kind := run(text, i); kind {
		case letters:
			e.identifier(text[i:end])
			i = end
		case ideographs:
			e.pairs(text[i:end])
			i = end
		default:
			i = end
		}
	}
}

// Terms returns the distinct words of a query in order of appearance, at most limit.
func Terms(query string, limit int) []string {
	var terms []string
	seen := map[string]bool{}
	Each([]byte(query), func(w []byte) {
		if len(terms) < limit && !seen[string(w)] {
			seen[string(w)] = true
			terms = append(terms, string(w))
		}
	})
	return terms
}

// class is what a run of characters is.
type class uint8

const (
	other class = iota
	letters
	ideographs
)

// ascii classifies the single-byte characters, of which nearly all text consists.
var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		if isLower(byte(c)) || isUpper(byte(c)) || '0' <= c && c <= '9' || c == '_' {
			t[c] = letters
		}
	}
	return t
}()

// run returns the end of the run of one class that starts at i.
func run(text []byte, i int) (end int, kind class) {
	kind, n := classify(text[i:])
	for end = i + n; end < len(text); end += n {
		var k class
		if k, n = classify(text[end:]); k != kind {
			break
		}
	}
	return end, kind
}

// classify returns the class and length in bytes of the first character.
func classify(p []byte) (class, int) {
	if p[0] < utf8.RuneSelf {
		return ascii[p[0]], 1
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == utf8.RuneError:
		return other, n
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return ideographs, n
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return letters, n
	}
	return other, n
}

type each struct {
	emit func([]byte)
	folder
}

// identifier emits a run of letters and, when it consists of several words, those too.
func (e *each) identifier(w []byte) {
	w = bytes.Trim(w, "_")
	if len(w) == 0 || len(w) > maxWord {
		return
	}
	e.emit(e.fold(w))
	for start := 0; start < len(w); {
		end := partEnd(w, start)
		if start == 0 && end == len(w) {
			return // a single word was emitted already
		}
		e.emit(e.fold(w[start:end]))
		for start = end; start < len(w) && w[start] == '_'; start++ {
		}
	}
}

// partEnd returns where the part of an identifier that starts at start ends: at an underscore,
// before an upper-case letter after a lower-case one (parse|Config), and before the last of
// several upper-case letters when a lower-case one follows (HTTP|Server).
func partEnd(w []byte, start int) int {
	for i := start + 1; i < len(w); i++ {
		switch {
		case w[i] == '_':
			return i
		case !isUpper(w[i]):
		case !isUpper(w[i-1]), i+1 < len(w) && isLower(w[i+1]):
			return i
		}
	}
	return len(w)
}

// pairs emits the overlapping pairs of a run of ideographs, or the only one.
func (e *each) pairs(w []byte) {
	_, n := utf8.DecodeRune(w)
	if n == len(w) {
		e.emit(w)
		return
	}
	for n < len(w) {
		_, m := utf8.DecodeRune(w[n:])
		e.emit(w[:n+m])
		w, n = w[n:], m
	}
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
