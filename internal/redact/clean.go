package redact

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// What a reader does not see may be inside a secret: colours of a terminal, characters without a width. Where
// there is any, the text is looked at without it as well.

// invisible returns literals that all forms of it have: raw, escaped for JSON, as source code spells it.
func invisible() []string {
	list := lits("\x1b[", "\x1b]", "\x1b(", `u001b`, `u001B`, `x1b[`, `x1B[`, `033[`, `\e[`, "\U000e0000"[:2],
		`u200`, `u202`, `u206`, `ufe`, `uFE`, `uffa`, `uFFA`, `u00ad`, `u00AD`, `u034f`, `u034F`, `u061c`, `u061C`,
		`u115f`, `u115F`, `u1160`, `u17b`, `u17B`,
		`u180`, `u3164`)
	for _, table := range chars.Unseen() {
		for _, block := range table.R16 {
			for r := rune(block.Lo); r <= rune(block.Hi); r += rune(block.Stride) {
				if !unicode.Is(unicode.Prepended_Concatenation_Mark, r) { // these format, and are seen
					list = append(list, string(r))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list) // the tables overlap
}

// isNoise reports whether one of these literals, at an offset, belongs to something invisible.
func isNoise(text []byte, at int) bool {
	if at > 0 && text[at] < 0x80 && text[at-1] == '\\' {
		at--
	}
	return invisibleLength(text[at:]) > 0
}

// clean adds the secrets of a text in which something is invisible. It looks at a block at a time, as a Writer does,
// which begins at base, so that it finds the same, and only at blocks with noise: where something is invisible.
func (s *ruleset) clean(spans []span, text []byte, base int, noise []int) []span {
	for from := base; from < len(text); from += step {
		lo, hi := max(from-lookBehind, 0), min(from+step+maxWindow, len(text))
		if next, _ := slices.BinarySearch(noise, lo); next == len(noise) || noise[next] >= hi {
			continue
		}
		plain, at := visible(text[lo:hi])
		if at == nil {
			continue
		}
		found, _ := s.raw(plain)
		for _, f := range s.base64(found, plain) {
			if f.secret == nil {
				f.secret = plain[f.start:f.end]
			}
			f.start, f.end = lo+at[f.start], lo+at[f.end-1]+1
			if f.start >= from && f.start < from+step {
				spans = append(spans, f)
			}
		}
	}
	return spans
}

// visible returns what is visible of a text, and where each of its bytes is; nil if it is all.
func visible(text []byte) (plain []byte, at []int) {
	from := 0
	for i := 0; i < len(text); {
		n := 0
		if b := text[i]; b == 0x1b || b == '\\' || b >= utf8.RuneSelf {
			n = invisibleLength(text[i:])
		}
		if n == 0 {
			i++
			continue
		}
		plain, at = appendVisible(plain, at, text, from, i)
		i += n
		from = i
	}
	if from == 0 {
		return nil, nil
	}
	return appendVisible(plain, at, text, from, len(text))
}

func appendVisible(plain []byte, at []int, text []byte, from, to int) ([]byte, []int) {
	at = slices.Grow(at, to-from)
	for i := from; i < to; i++ {
		at = append(at, i)
	}
	return append(plain, text[from:to]...), at
}

// invisibleLength returns the length of the invisible thing that text begins with, or 0.
func invisibleLength(text []byte) int {
	if text[0] == 0x1b {
		return sequence(text, 1)
	}
	if text[0] != '\\' {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError || !chars.Invisible(r) {
			return 0
		}
		return n
	}
	c := cursor{text, 0}
	for c.at < len(text) && c.at < maxEscape && text[c.at] == '\\' {
		c.at++
	}
	if c.take("u001b") || c.take("u001B") || c.take("x1b") || c.take("x1B") || c.take("033") || c.take("e") {
		return sequence(text, c.at)
	}
	if rest := text[c.at-1:]; isUnicode(append([]byte{'\\'}, rest[min(1, len(rest)):min(6, len(rest))]...)) {
		var r rune
		for _, digit := range rest[2:6] {
			r = r<<4 | rune(hexDigit(digit))
		}
		if chars.Invisible(r) {
			return c.at + 5
		}
	}
	return 0
}

// sequence returns the end of a sequence of a terminal whose ESC ends at text[at], or 0. It is one for colours and
// the like, for a character set, or for a link.
func sequence(text []byte, at int) int {
	const most = 512 // bytes: the address of a link
	rest := text[at:min(at+most, len(text))]
	if len(rest) < 2 {
		return 0
	}
	i := 1
	switch rest[0] {
	case '[':
		for i < len(rest) && (isDigit(rest[i]) || bytes.IndexByte([]byte(":;<=>? "), rest[i]) >= 0) {
			i++
		}
		if i < len(rest) && (isAlnum(rest[i]) || rest[i] == '~' || rest[i] == '@') {
			return at + i + 1
		}
	case '(', ')':
		if isAlnum(rest[1]) {
			return at + 2
		}
	case ']':
		for i < len(rest) && rest[i] > ' ' && rest[i] <= '~' && bytes.IndexByte([]byte("\"'`\\"), rest[i]) < 0 {
			i++
		}
		for _, end := range []string{"\a", "\x1b\\", `\u0007`, `\u001b\\`, `\x07`, `\a`, `\e\\`, `\033\\`, `\x1b\\`} {
			if bytes.HasPrefix(rest[i:], []byte(end)) {
				return at + i + len(end)
			}
		}
	}
	return 0
}
