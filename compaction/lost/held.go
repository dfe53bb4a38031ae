package lost

import (
	"strings"
	"unicode"

	"ctxledger.dev/internal/pattern"
)

const (
	// heldBytes is how much of a text is looked at.
	heldBytes = 256 << 10
	// heldLines is how many lines of a text count as one place: what is said of a thing stands close together.
	heldLines = 3
	// heldLong is from how many words on a thing may be spread over the whole text.
	heldLong = 40
	// stem is how many letters of a word are compared, so that its endings do not matter.
	stem = 6
)

// binding recognises that something is demanded or forbidden, or was refused.
var binding = pattern.Lazy(`(?i)\b(never|not|don'?t|cannot|can't|won'?t|always|only|must|no|without|avoid|forbid\w*|` +
	`refus\w*|reject\w*|declin\w*|denied|disallow\w*|prohibit\w*|rules?|constraints?|requires?|required|untouched|` +
	`nie|niemals|nicht|kein\w*|immer|nur|jamais|toujours|nunca|siempre)\b|不要|禁止|必须|总是|只能|しない|必ず|禁じ`)

// failing recognises that something failed.
var failing = pattern.Lazy(`(?i)fail|error|exit (code |status )?[1-9]|✗|broke|\bnot pass|\bred\b|interrupt`)

// held looks up in a text whether it says a thing, in whatever words it puts it around those of the thing.
type held struct {
	raw    string
	lines  []string
	places []map[string]bool // the words of each place
	all    map[string]bool
}

// newHeld reads a text.
func newHeld(text string) *held {
	text = text[:min(len(text), heldBytes)]
	h := &held{raw: text, all: map[string]bool{}}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			h.lines = append(h.lines, line)
		}
	}
	each := make([][]string, len(h.lines))
	for i, line := range h.lines {
		each[i] = stems(line)
		for _, w := range each[i] {
			h.all[w] = true
		}
	}
	for i := range each {
		place := map[string]bool{}
		for _, words := range each[i:min(len(each), i+heldLines)] {
			for _, w := range words {
				place[w] = true
			}
		}
		h.places = append(h.places, place)
	}
	return h
}

// share returns the share of the words of a thing that the text has in one place. A thing of many words may be spread
// over the text.
func (h *held) share(thing string) float64 { return h.in(thing, nil) }

// binds is share in those places alone where something is demanded, forbidden or refused.
func (h *held) binds(thing string) float64 { return h.in(thing, binding().MatchString) }

// fails is share in those places alone where something failed.
func (h *held) fails(thing string) float64 { return h.in(thing, failing().MatchString) }

// has reports whether the text has a word as it is.
func (h *held) has(word string) bool { return word != "" && strings.Contains(h.raw, word) }

func (h *held) in(thing string, where func(string) bool) float64 {
	words := stems(thing)
	if len(words) >= heldLong {
		return float64(count(words, h.all)) / float64(len(words))
	}
	most := 0
	for i, place := range h.places {
		n := count(words, place)
		if n > most && (where == nil || where(strings.Join(h.lines[i:min(len(h.lines), i+heldLines)], "\n"))) {
			most = n
		}
	}
	return float64(most) / float64(max(1, len(words)))
}

func count(words []string, in map[string]bool) (n int) {
	for _, w := range words {
		if in[w] {
			n++
		}
	}
	return n
}

// plain are words that say nothing by themselves.
var plain = pattern.Lazy(`^(that|this|with|from|have|been|will|would|should|could|what|when|where|which|there|their|they|` +
	`them|then|than|also|into|some|just|like|make|please|about|your|and|the|for|you|are|was|but|not|can|let|all|any|its|has|` +
	`had|our|out|now|how|why|der|die|das|und|ist|ein|eine|mit|auf|von|den|dem)$`)

// stems returns the beginnings of the words of a text that say something, each once. In scripts without spaces, two
// characters are a word.
func stems(text string) (out []string) {
	seen := map[string]bool{}
	add := func(w string) {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !inside(r) }) {
		letters := []rune(w)
		if unspaced(letters[0]) {
			for i := range len(letters) - 1 {
				add(string(letters[i : i+2]))
			}
			continue
		}
		if len(letters) > 2 && !plain().MatchString(w) {
			add(string(letters[:min(len(letters), stem)]))
		}
	}
	return out
}

// unspaced reports whether a character is of a script that writes no spaces between words.
func unspaced(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}
