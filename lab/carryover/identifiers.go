package carryover

import (
	"strings"

	"ctxledger.dev/engine/replay"
)

// identifiers returns the identifiers that a text names.
func identifiers(text string) []string {
	named, _ := replay.Identifiers(text)
	return named
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

// A text answers what it names.
type text struct {
	raw   string
	words set // maximal runs of letters, digits and "_"
}

func newText(raw string) *text {
	t := &text{raw: raw, words: set{}}
	for w := range strings.FieldsFuncSeq(raw, func(r rune) bool { return !replay.IsWord(r) }) {
		t.words[w] = true
	}
	return t
}

// names reports whether the text names an identifier on word boundaries.
func (t *text) names(id string) bool {
	if !strings.ContainsFunc(id, func(r rune) bool { return !replay.IsWord(r) }) {
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
	return (from == 0 || !replay.IsWord(rune(s[from-1]))) && (to == len(s) || !replay.IsWord(rune(s[to])))
}
