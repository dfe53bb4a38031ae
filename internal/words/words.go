// Package words takes text apart into the words that a search compares, as stems.
//
// Start at Each, or at Query for a query; Key compares whole texts. A word is a run of letters, digits and underscores,
// in the form that Key gives it. An English word is reduced to its stem, so that "testing" finds "tests". An identifier
// made of several words (parseConfig, HTTP_SERVER) gives itself and its parts, so that either finds it. Scripts that are
// written without spaces (Han, kana, Hangul) give overlapping pairs of characters.
//
// Stems only compare: no text is stored or shown in that form.
package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// Stem identifies the stem of a word by StemBits bits of its hash. Stems are stored: the function is part of the schema.
type Stem uint32

// StemBits is how many bits of a Stem are used. Two of a million words share a stem once in a thousand.
const StemBits = 30

// The longest runs, in bytes: what is taken apart, and what is one word as a whole. Longer ones are base64 and the like,
// which is not searched for by word.
const (
	maxRun  = 256
	maxWord = 64
)

// Each calls emit for every word of text, in order, repeated ones too. Bytes that are not UTF-8 end a word.
func Each(text string, emit func(Stem)) {
	s := splitters.Get().(*splitter)
	defer splitters.Put(s)
	s.emit = emit
	s.split(composed(text))
	s.emit = nil
}

// Query returns the distinct informative words of a query in order of appearance, at most limit: all of them if none is.
func Query(query string, limit int) []Stem {
	var all, telling []Stem
	seen := map[Stem]bool{}
	Each(query, func(w Stem) {
		if len(all) == limit || seen[w] {
			return
		}
		seen[w] = true
		all = append(all, w)
		if !common()[w] {
			telling = append(telling, w)
		}
	})
	if len(telling) == 0 {
		return all
	}
	return telling
}

// common are words that say nothing about what is looked for.
var common = sync.OnceValue(func() map[Stem]bool {
	set := map[Stem]bool{}
	Each("a about all an and any are as at be by can do does for from has have how i if in is it its me my no not of on or "+
		"should that the there this to was we what when where which who why will with you your",
		func(w Stem) { set[w] = true })
	return set
})

// splitter takes texts apart, one at a time, and remembers the stems of words.
type splitter struct {
	emit  func(Stem)
	fold  folder
	known [1 << 15]struct { // by some bits of the hash
		word uint64 // hash of the word
		stem Stem
	}
}

var splitters = sync.Pool{New: func() any { return &splitter{fold: folder{buf: make([]byte, 0, 2*maxRun)}} }}

// class is what a run of characters is.
type class uint8

const (
	other class = iota
	letters
	ideographs
)

// lower has the characters of ASCII of which words consist, in lower case, and 0 for the others.
var lower = func() (t [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case isUpper(c):
			t[c] = c + 'a' - 'A'
		case isLower(c) || '0' <= c && c <= '9' || c == '_':
			t[c] = c
		}
	}
	return t
}()

// split emits the words of a text in composed form. Nearly all text is ASCII, which it reads once.
func (s *splitter) split(text string) {
	for i := 0; i < len(text); {
		start, h, parts := i, uint64(fnvBasis), false
		for i < len(text) && text[i] < utf8.RuneSelf {
			c := lower[text[i]]
			if c == 0 {
				break
			}
			parts = parts || c == '_' || c != text[i] && i > start
			h = (h ^ uint64(c)) * fnvPrime
			i++
		}
		switch {
		case i == len(text) || text[i] < utf8.RuneSelf:
			switch run := text[start:i]; {
			case parts:
				s.identifier(run)
			case start < i && i-start <= maxRun:
				s.hashed(run, h)
			}
			for i < len(text) && text[i] < utf8.RuneSelf && lower[text[i]] == 0 {
				i++
			}
		default:
			i = s.wide(text, start)
		}
	}
}

// wide emits the run of characters that begins at a place and is not all ASCII, and returns its end.
func (s *splitter) wide(text string, start int) int {
	kind, n := classify(text[start:])
	end := start + n
	for end < len(text) {
		var k class
		if k, n = classify(text[end:]); k != kind {
			break
		}
		end += n
	}
	switch kind {
	case letters:
		s.identifier(text[start:end])
	case ideographs:
		s.pairs(text[start:end])
	}
	return end
}

// classify returns the class and length in bytes of the first character.
func classify(p string) (class, int) {
	if p[0] < utf8.RuneSelf {
		if lower[p[0]] == 0 {
			return other, 1
		}
		return letters, 1
	}
	r, n := utf8.DecodeRuneInString(p)
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

// identifier emits a run of letters and, when it consists of several words, those too.
func (s *splitter) identifier(w string) {
	if w = strings.Trim(w, "_"); len(w) == 0 || len(w) > maxRun {
		return
	}
	if len(w) <= maxWord {
		s.word(w)
	}
	for start := 0; start < len(w); {
		end := partEnd(w, start)
		if start == 0 && end == len(w) {
			return // a single word was emitted already
		}
		s.word(w[start:end])
		for start = end; start < len(w) && w[start] == '_'; start++ {
		}
	}
}

// partEnd returns where the part of an identifier that starts at start ends: at an underscore,
// before an upper-case letter after a lower-case one (parse|Config), and before the last of
// several upper-case letters when a lower-case one follows (HTTP|Server).
func partEnd(w string, start int) int {
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
func (s *splitter) pairs(w string) {
	_, n := utf8.DecodeRuneInString(w)
	if n == len(w) {
		s.emit(stemOf([]byte(w)))
		return
	}
	for n < len(w) {
		_, m := utf8.DecodeRuneInString(w[n:])
		s.emit(stemOf([]byte(w[:n+m])))
		w, n = w[n:], m
	}
}

// word emits a word.
func (s *splitter) word(w string) {
	h := uint64(fnvBasis)
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			s.emit(stemOf(stemmed(s.fold.fold([]byte(w)))))
			return
		}
		h = (h ^ uint64(lower[w[i]])) * fnvPrime
	}
	s.hashed(w, h)
}

// hashed emits a word of ASCII, whose hash in lower case is h.
func (s *splitter) hashed(w string, h uint64) {
	known := &s.known[(h>>32)%uint64(len(s.known))]
	if known.word != h {
		known.word, known.stem = h, stemOf(stemmed(s.fold.fold([]byte(w))))
	}
	s.emit(known.stem)
}

// stemmed returns the stem of a word in lower case: itself, if it is short, long, or no word of letters.
func stemmed(w []byte) []byte {
	const shortest, longest = 3, 24
	if len(w) < shortest || len(w) > longest {
		return w
	}
	for _, c := range w {
		if !isLower(c) {
			return w
		}
	}
	return []byte(english.Stem(string(w), true))
}

// The constants of FNV-1a.
const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// stemOf hashes a stem.
func stemOf(stem []byte) Stem {
	h := uint64(fnvBasis)
	for _, c := range stem {
		h = (h ^ uint64(c)) * fnvPrime
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15 // spreads the last bytes over all bits
	return Stem(h >> (64 - StemBits))
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
