package tokens

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normal returns text as the tokenizer wants it. Text in Normalization Form C, as nearly all is, is
// returned as it is, without a copy.
//
// The tables are those of package norm, Unicode 15.0 when built with Go 1.26. A later version changes
// the order of marks that it adds, and nothing else.
func (t *tokenizer) normal(text []byte) []byte {
	if t.isNormal(text) {
		return text
	}
	return appendNFC(make([]byte, 0, len(text)+len(text)/8), text)
}

// isNormal reports whether the tokenizer takes text as it is. All parts of such a text are normal too.
func (t *tokenizer) isNormal(text []byte) bool { return !t.nfc || norm.NFC.IsNormal(text) }

// appendNFC appends text in Normalization Form C to dst. Unlike norm.NFC.Append it adds nothing where
// more than 30 marks follow each other. Bytes that are not UTF-8 stay as they are.
func appendNFC(dst, text []byte) []byte {
	for len(text) > 0 {
		n := norm.NFC.QuickSpan(text)
		dst = append(dst, text[:n]...)
		text = text[n:]
		if len(text) > 0 {
			segment, size := decompose(text)
			dst = appendComposed(dst, segment)
			text = text[size:]
		}
	}
	return dst
}

// character is a code point with its canonical combining class, 0 for what begins something new. A
// byte that is not UTF-8 is one with a negative rune.
type character struct {
	r     rune
	class uint8
}

// decompose returns the characters that text begins with, up to one that never has to do with what
// is before it, decomposed and in canonical order, and their length in bytes.
func decompose(text []byte) (segment []character, size int) {
	for size < len(text) {
		p := norm.NFD.Properties(text[size:])
		if size > 0 && norm.NFC.Properties(text[size:]).BoundaryBefore() {
			break
		}
		r, n := utf8.DecodeRune(text[size:])
		switch d := p.Decomposition(); {
		case r == utf8.RuneError && n == 1:
			segment = append(segment, character{r: -1 - rune(text[size])})
		case d == nil:
			segment = append(segment, character{r, p.CCC()})
		default:
			for _, r := range string(d) {
				segment = append(segment, character{r, norm.NFD.PropertiesString(string(r)).CCC()})
			}
		}
		size += n
	}
	for i := 0; i < len(segment); i++ {
		marks := i
		for i < len(segment) && segment[i].class > 0 {
			i++
		}
		slices.SortStableFunc(segment[marks:i], func(a, b character) int { return int(a.class) - int(b.class) })
	}
	return segment, size
}

// appendComposed composes a segment (Unicode 16.0, section 3.11, D117) and appends it to dst.
func appendComposed(dst []byte, segment []character) []byte {
	kept := segment[:0]
	starter := -1
	for _, c := range segment {
		if starter >= 0 {
			last := kept[len(kept)-1]
			free := starter == len(kept)-1 || last.class > 0 && last.class < c.class
			if one, ok := compose(kept[starter].r, c.r, free); ok {
				kept[starter].r = one
				continue
			}
		}
		if c.class == 0 {
			starter = len(kept)
		}
		kept = append(kept, c)
	}
	for _, c := range kept {
		if c.r < 0 {
			dst = append(dst, byte(-1-c.r))
		} else {
			dst = utf8.AppendRune(dst, c.r)
		}
	}
	return dst
}

// compose returns the character that two make together, if there is one and they are free to.
func compose(a, b rune, free bool) (rune, bool) {
	if a < 0 || b < 0 || !free {
		return 0, false
	}
	var pair, both [4 * utf8.UTFMax]byte
	text := norm.NFC.Append(both[:0], utf8.AppendRune(utf8.AppendRune(pair[:0], a), b)...)
	r, size := utf8.DecodeRune(text)
	return r, size == len(text)
}
