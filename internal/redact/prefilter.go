package redact

import "strings"

// prefilter finds the literals of all rules in one pass over a text: a table says for every pair of
// neighbouring bytes which literals have it, at the pair of each that is rarest in source code. The byte
// next to the pair then shows nearly always that it is none of them.
type prefilter struct {
	bucket  [1 << 16]uint8 // a pair of bytes → 1 + its place in buckets; in bytes, the table stays in the nearest cache
	buckets []bucket
	places  map[uint16]uint8 // a pair in lower case → the same
}

// mostBuckets is how many a byte tells apart, besides none.
const mostBuckets = 255

// bucket is the literals of a pair, in both cases, and what may be next to it.
type bucket struct {
	needles []needle
	before  [256]bool // in the literals of which the pair is not the beginning
	after   [256]bool // in those of which it is
	any     bool      // for a literal of two bytes
}

// needle is one literal.
type needle struct {
	text string // in lower case when fold
	fold bool   // case does not matter
	pair int    // where in text the pair is
	rule *rule
}

// common lists bytes from the most frequent one in source code and logs; what is missing is rare.
const common = " e0taoinshrlcdupmfg\n\t1byv.,_\"()w=x/k:-;*{}2ETASCINRLOPD"

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
			f.put(a, b)
		}
	}
	f.put(n.text[n.pair], n.text[n.pair+1]).add(n)
}

// put makes a pair one of the bucket of that pair in lower case, and returns the bucket.
func (f *prefilter) put(a, b byte) *bucket {
	folded := uint16(lower(a))<<8 | uint16(lower(b))
	place, ok := f.places[folded]
	if !ok {
		if f.places == nil {
			f.places = map[uint16]uint8{}
			f.buckets = make([]bucket, 0, mostBuckets) // they are large: growing would copy them again and again
		}
		f.buckets = append(f.buckets, bucket{})
		place = uint8(len(f.buckets)) // a test counts them
		f.places[folded] = place
	}
	f.bucket[uint16(a)<<8|uint16(b)] = place
	return &f.buckets[place-1]
}

// add adds a literal.
func (b *bucket) add(n needle) {
	b.needles = append(b.needles, n)
	switch beside := n.pair + 2; {
	case n.pair > 0:
		for _, c := range cases(n.text[n.pair-1], n.fold) {
			b.before[c] = true
		}
	case beside < len(n.text):
		for _, c := range cases(n.text[beside], n.fold) {
			b.after[c] = true
		}
	default:
		b.any = true
	}
}

// fits reports whether one of the literals may have the pair that ends at text[i].
func (b *bucket) fits(text []byte, i int) bool {
	return i > 1 && b.before[text[i-2]] || i+1 < len(text) && b.after[text[i+1]] || b.any
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
		if b := f.bucket[pair]; b != 0 && f.buckets[b-1].fits(text, i) {
			f.buckets[b-1].scan(text, i, hit)
		}
	}
}

// scan calls hit for every literal that has the pair which ends at text[i].
func (b *bucket) scan(text []byte, i int, hit func(r *rule, at, n int)) {
	for k := range b.needles {
		n := &b.needles[k]
		if at := i - 1 - n.pair; at >= 0 && n.stands(text[at:]) {
			hit(n.rule, at, len(n.text))
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
