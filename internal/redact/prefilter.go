package redact

import "strings"

// prefilter finds the literals of all rules in one pass over a text: a table says for every pair of
// neighbouring bytes which literals have it, at the pair of each that is rarest in source code.
type prefilter struct {
	bucket  [1 << 16]uint16 // a pair of bytes → 1 + its place in needles
	needles [][]needle
}

// needle is one literal.
type needle struct {
	text string // in lower case when fold
	fold bool   // case does not matter
	pair int    // where in text the pair stands
	rule *rule
}

// common lists bytes from the most frequent one in source code and logs; what is missing is rare.
const common = " etaoinsrlcdupmfgh\n\tbyv.,_\"()w=x/k:0-1;*{}2ETASCINRLOPD"

// rarity returns how rare a byte is: its place in common.
func rarity(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// add makes the prefilter look for a literal of at least two bytes.
func (f *prefilter) add(r *rule, literal string) {
	n := needle{text: literal, fold: r.fold, rule: r}
	if r.fold {
		n.text = strings.ToLower(literal)
	}
	best := -1
	for i := range len(n.text) - 1 {
		// Both bytes of a pair make it rare, the common one more than the rare one.
		a, b := rarity(n.text[i]), rarity(n.text[i+1])
		if score := min(a, b)*2 + max(a, b); score > best {
			best, n.pair = score, i
		}
	}
	for _, a := range cases(n.text[n.pair], n.fold) {
		for _, b := range cases(n.text[n.pair+1], n.fold) {
			f.put(uint16(a)<<8|uint16(b), n)
		}
	}
}

func (f *prefilter) put(pair uint16, n needle) {
	if f.bucket[pair] == 0 {
		f.needles = append(f.needles, nil)
		f.bucket[pair] = uint16(len(f.needles))
	}
	b := f.bucket[pair] - 1
	f.needles[b] = append(f.needles[b], n)
}

// cases returns the byte, and its other case if that matters not.
func cases(c byte, fold bool) []byte {
	if fold && isLower(c) {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// scan calls hit for every literal of a rule in text: text[at:at+n].
func (f *prefilter) scan(text []byte, hit func(r *rule, at, n int)) {
	var pair uint16
	for i, c := range text {
		pair = pair<<8 | uint16(c)
		if b := f.bucket[pair]; b != 0 {
			for k := range f.needles[b-1] {
				n := &f.needles[b-1][k]
				if at := i - 1 - n.pair; at >= 0 && n.stands(text[at:]) {
					hit(n.rule, at, len(n.text))
				}
			}
		}
	}
}

// stands reports whether text begins with the literal.
func (n *needle) stands(text []byte) bool {
	if len(text) < len(n.text) {
		return false
	}
	if !n.fold {
		return string(text[:len(n.text)]) == n.text
	}
	for i := range len(n.text) {
		if lower(text[i]) != n.text[i] {
			return false
		}
	}
	return true
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func lower(c byte) byte {
	if isUpper(c) {
		return c - 'A' + 'a'
	}
	return c
}
