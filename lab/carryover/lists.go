package carryover

import (
	"ctxledger.dev/engine/replay"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	listSide  = 5  // words on either side of a word that are judged with it
	listLeast = 3  // words of the shortest text that can be a list
	listShare = 70 // per cent: so many of the words of a list are identifiers
)

// measureLists returns the share of a text, in characters of words, that is in lists. The package comment says
// what a word and a list are.
func measureLists(raw string) Share {
	words := wordsOf(raw)
	before := make([]int, len(words)+1) // identifiers before each word
	for i, w := range words {
		before[i+1] = before[i]
		if w.identifier {
			before[i+1]++
		}
	}
	listed, all := 0, 0
	for i, w := range words {
		from, to := max(0, i-listSide), min(len(words), i+listSide+1)
		all += w.size
		if to-from >= listLeast && 100*(before[to]-before[from]) >= listShare*(to-from) {
			listed += w.size
		}
	}
	return part(listed, all)
}

// word is a word of a text as measureLists counts words.
type word struct {
	size       int // characters
	identifier bool
}

// wordsOf returns the words of a text in order.
func wordsOf(raw string) []word {
	r := &wordReader{known: map[string]bool{}}
	for field := range strings.FieldsSeq(raw) {
		r.field(field)
	}
	return r.words
}

// wordReader cuts a text into words.
type wordReader struct {
	words []word
	known map[string]bool // the words seen: whether each is an identifier
	names bool            // the last word counts as an identifier, and ends no sentence
}

const (
	closing  = "\"'`*_)]}>»”’" // may follow the full stop of a sentence
	brackets = "\"'`<>()[]{}"  // end an address
)

// field takes what stands between two white spaces.
func (r *wordReader) field(field string) {
	if strings.HasPrefix(field, "```") || strings.HasPrefix(field, "~~~") {
		if paths, names := replay.Extract(field); len(paths)+len(names) == 0 {
			return // a fence with the name of a language
		}
	}
	rest := field
	for {
		at := strings.Index(rest, "://")
		if at < 0 {
			break
		}
		scheme := strings.LastIndexFunc(rest[:at], func(c rune) bool { return !replay.IsWord(c) }) + 1
		r.tokens(rest[:scheme])
		end := strings.IndexAny(rest[at:], brackets)
		if end < 0 {
			end = len(rest) - at
		}
		r.add(rest[scheme:at+end], false)
		rest = rest[at+end:]
	}
	r.tokens(rest)
	if end := strings.TrimRight(field, closing); end != "" && strings.ContainsAny(end[len(end)-1:], ".!?") {
		r.names = false
	}
}

// tokens takes the words of a text without white space or addresses.
func (r *wordReader) tokens(s string) {
	inToken := func(c rune) bool { return inWord(c) || strings.ContainsRune(`./\~-+@$`, c) }
	for token := range strings.FieldsFuncSeq(s, func(c rune) bool { return !inToken(c) }) {
		if paths, _ := replay.Extract(token); len(paths) > 0 {
			r.add(token, true)
			continue
		}
		for w := range strings.FieldsFuncSeq(token, func(c rune) bool { return !inWord(c) && c != '.' }) {
			r.word(strings.Trim(w, "."))
		}
	}
}

// word takes a word that is no path.
func (r *wordReader) word(w string) {
	letters, solid := 0, 0
	for _, c := range w {
		if unicode.IsLetter(c) {
			letters++
		}
		if unspaced(c) {
			solid++
		}
	}
	if solid > 0 { // such a word is no identifier, whatever else is in it
		for other := range strings.FieldsFuncSeq(w, unspaced) {
			r.add(other, false)
		}
		for ; solid > 0; solid -= 2 {
			r.words = append(r.words, word{size: min(solid, 2)})
		}
		r.names = false
		return
	}
	if letters < 2 {
		return
	}
	first, _ := utf8.DecodeRuneInString(w)
	r.add(w, r.identifier(w) || r.names && unicode.IsUpper(first))
}

func (r *wordReader) identifier(w string) bool {
	is, known := r.known[w]
	if !known {
		_, names := replay.Extract(w)
		is = len(names) > 0
		r.known[w] = is
	}
	return is
}

func (r *wordReader) add(w string, identifier bool) {
	r.words = append(r.words, word{size: utf8.RuneCountInString(w), identifier: identifier})
	r.names = identifier
}

// inWord reports whether a character can be in an identifier or in a word of a language.
func inWord(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// unspaced reports whether a character is of a script that writes no spaces between words.
func unspaced(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
