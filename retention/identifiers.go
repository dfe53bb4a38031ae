package retention

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

// identifiers returns the identifiers of a text in order, repetitions included when they are far apart:
// names as they are, paths by their last two segments.
func identifiers(text string) []string {
	var out []string
	for text != "" {
		n := len(text)
		if n > chunk {
			if n = strings.LastIndexAny(text[:chunk], " \t\n") + 1; n == 0 {
				n = chunk
			}
		}
		paths, names := extract(text[:n])
		for _, p := range paths {
			out = append(out, twoSegments(p))
		}
		out = append(out, names...)
		text = text[n:]
	}
	return out
}

// extract returns the paths and the names in a text of at most chunk bytes, or in one token.
func extract(text string) (paths, names []string) {
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

// set is a set of identifiers.
type set map[string]bool

func (s set) add(all ...string) {
	for _, id := range all {
		s[id] = true
	}
}

// Identifiers returns the identifiers that a text names, and every word that could be one. Callers that compare
// many texts use it.
func Identifiers(raw string) (named []string, words map[string]bool) {
	t := newText(raw)
	named = identifiers(raw)
	t.words.add(named...)
	return named, t.words
}

// A text answers what it names.
type text struct {
	raw   string
	words set // maximal runs of letters, digits and "_"
}

func newText(raw string) *text {
	t := &text{raw: raw, words: set{}}
	for w := range strings.FieldsFuncSeq(raw, func(r rune) bool { return !isWord(r) }) {
		t.words[w] = true
	}
	return t
}

// names reports whether the text names an identifier on word boundaries.
func (t *text) names(id string) bool {
	if !strings.ContainsFunc(id, func(r rune) bool { return !isWord(r) }) {
		return t.words[id]
	}
	return len(t.places(id, 1)) > 0
}

// places returns where an identifier begins on word boundaries, at most so many places.
func (t *text) places(id string, most int) []int {
	var out []int
	for from := 0; len(out) < most; {
		i := strings.Index(t.raw[from:], id)
		if i < 0 {
			break
		}
		i += from
		from = i + len(id)
		if bounded(t.raw, i, from) {
			out = append(out, i)
		}
	}
	return out
}

// bounded reports whether [from, to) of s is neither the end nor the beginning of a longer word.
func bounded(s string, from, to int) bool {
	return (from == 0 || !isWord(rune(s[from-1]))) && (to == len(s) || !isWord(rune(s[to])))
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
}
