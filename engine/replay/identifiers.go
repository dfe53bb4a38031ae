package replay

import (
	"strings"

	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/transcript"
)

// chunk bounds the text that is looked at in one go, in bytes: so few hold no more identifiers than
// transcript.Extract returns.
const chunk = 400

var (
	// noPath is what has the shape of a path and names nothing of the work: a device, a resource of a
	// web service by its number, what is left of a glob.
	noPath = pattern.Lazy(`^dev/null$|^\d+/|^_`)
	// noName is the name of a host, as in an address.
	noName = pattern.Lazy(`^[a-z0-9.-]+\.(com|org|net|io|dev|ai)$`)
)

// Identifiers returns the identifiers that a text names, in order, and every word that could be one. Repetitions are
// included when they are far apart; names are as they are, and paths are their last two segments.
func Identifiers(text string) (named []string, words map[string]bool) {
	words = map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !IsWord(r) }) {
		words[w] = true
	}
	for text != "" {
		n := len(text)
		if n > chunk {
			if n = strings.LastIndexAny(text[:chunk], " \t\n") + 1; n == 0 {
				n = chunk
			}
		}
		paths, names := Extract(text[:n])
		for _, p := range paths {
			named = append(named, twoSegments(p))
		}
		named = append(named, names...)
		text = text[n:]
	}
	for _, id := range named {
		words[id] = true
	}
	return named, words
}

// Extract returns the paths and the names in a text of at most 400 bytes, or in one token.
func Extract(text string) (paths, names []string) {
	f := transcript.Extract(transcript.Message{Parts: []transcript.Part{{Kind: transcript.KindText, Text: text}}})
	for _, p := range f.Paths {
		if !noPath().MatchString(twoSegments(p)) {
			paths = append(paths, p)
		}
	}
	for _, name := range f.Names {
		if !noName().MatchString(name) {
			names = append(names, name)
		}
	}
	return paths, names
}

// twoSegments returns the last two segments of a path.
func twoSegments(p string) string {
	p = strings.Trim(p, "/")
	last := strings.LastIndexByte(p, '/')
	if last < 0 {
		return p
	}
	return p[strings.LastIndexByte(p[:last], '/')+1:]
}

// IsWord reports whether a character can be in an identifier.
func IsWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
}
