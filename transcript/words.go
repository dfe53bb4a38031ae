package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxToken is the longest token that is looked at, in bytes: longer ones are encoded data.
const maxToken = 512

// text cuts a text into tokens and classifies each: one pass, no backtracking.
func (x *extractor) text(text string) {
	var before wordsBefore
	for i := 0; i < len(text) && !x.full(); {
		n := tokenByte(text, i)
		if n == 0 {
			i += max(1, maskLength(text[i:]))
			continue
		}
		from := i
		for n > 0 {
			i += n
			n = tokenByte(text, i)
		}
		if strings.HasPrefix(text[i:], "://") {
			i = skipURL(text, i)
			continue
		}
		if i-from <= maxToken {
			x.token(text[from:i], &before)
		}
		if i < len(text) && text[i] == ':' {
			i = skipLines(text, i)
		}
	}
}

// tokenByte returns the length of the token character at i, 0 where a token ends.
func tokenByte(text string, i int) int {
	if i >= len(text) {
		return 0
	}
	c := text[i]
	if c < utf8.RuneSelf {
		if tokenTable[c] {
			return 1
		}
		// A drive letter's colon belongs to the path.
		if c == ':' && i > 0 && i+1 < len(text) && isLetter(text[i-1]) && (i == 1 || !isWord(text[i-2])) &&
			(text[i+1] == '\\' || text[i+1] == '/' && !strings.HasPrefix(text[i+1:], "//")) {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return n
	}
	return 0
}

// tokenTable holds the ASCII bytes that paths and identifiers are made of.
var tokenTable = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = isWord(byte(c)) || strings.IndexByte(`./\~-+@$`, byte(c)) >= 0
	}
	return t
}()

// maskLength returns the length of the mask of a secret that the text begins with, or 0: its kind and digits are
// names of nothing.
func maskLength(text string) int {
	const start, most = "[masked:", 60
	if !strings.HasPrefix(text, start) {
		return 0
	}
	return 1 + strings.IndexByte(text[:min(len(text), most)], ']')
}

// skipURL returns the end of the address whose "://" is at i.
func skipURL(text string, i int) int {
	for i < len(text) && text[i] > ' ' && strings.IndexByte("\"'`<>()[]{}", text[i]) < 0 {
		i++
	}
	return i
}

// skipLines passes over the line and column numbers behind a path: ":12", ":12:3", ":12-20".
func skipLines(text string, i int) int {
	for i+1 < len(text) && (text[i] == ':' || text[i] == '-') && isDigit(text[i+1]) {
		for i++; i < len(text) && isDigit(text[i]); i++ {
		}
	}
	return i
}

// token classifies one token. Escapes of a string literal ("a.go\\nb.go") separate words.
func (x *extractor) token(tok string, before *wordsBefore) {
	if !strings.Contains(tok, `\`) || windowsPath(tok) {
		x.word(tok, before)
		return
	}
	for i, w := range strings.Split(tok, `\`) {
		if i > 0 && w != "" && strings.IndexByte("nrt", w[0]) >= 0 {
			w = w[1:]
		}
		x.word(w, before)
	}
}

func (x *extractor) word(w string, before *wordsBefore) {
	if code := before.exit.next(w); code != "" {
		x.names.add(code)
		return
	}
	w = before.diff.strip(w)
	if lowerCase(w) {
		return // most words: neither the name of a file nor an identifier
	}
	for w != "" && strings.IndexByte(`.-+@\`, w[len(w)-1]) >= 0 {
		w = w[:len(w)-1] // the punctuation of a sentence
	}
	if p, ok := pathWord(w); ok {
		x.paths.add(p)
		return
	}
	x.namesIn(w)
}

// namesIn extracts the names from a word that is not a path: the parts between its separators.
func (x *extractor) namesIn(w string) {
	from := 0
	for i := 0; i <= len(w); i++ {
		if i < len(w) && (w[i] >= utf8.RuneSelf || isWord(w[i]) || w[i] == '.') {
			continue
		}
		if i-from >= minName {
			if name := strings.Trim(w[from:i], "."); isName(name) {
				x.names.add(name)
			}
		}
		from = i + 1
	}
}

// lowerCase reports whether a word is of plain lower-case letters alone.
func lowerCase(w string) bool {
	for i := range len(w) {
		if w[i]-'a' > 'z'-'a' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
