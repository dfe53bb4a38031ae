package redact

import (
	"cmp"
	"regexp"

	"ctxledger.dev/internal/pattern"
)

// row is one kind of secret, as the table in rules.go has it.
type row struct {
	kind     string
	literals []string // one of them is where the pattern begins, or later
	fold     bool     // case does not matter, in literals or pattern
	before   int      // bytes of the pattern before the literal
	run      bool     // the pattern begins where the run of letters, digits, - and _ before the literal does
	window   int      // the most bytes that the pattern spans; 0: the usual window

	// The secret is the pattern's first group, or all of it. Without a pattern the literals are names:
	// the secret is the value assigned to one.
	pattern string
	value   string // the pattern of a whole assigned value; "": what passes for a secret, see plausible

	parse parser // in place of a pattern: finds the secrets that belong to a literal

	word    bool              // a letter or digit before it makes it something else
	entropy float64           // the least entropy, in bits per byte
	accept  func([]byte) bool // a last look at the secret; nil: every one
}

// parser finds the secrets that belong to the literal at text[at:at+n]. The rule refuses those of which a mask
// touches what the parser has looked at.
type parser func(text []byte, at, n int) []stretch

// stretch is a secret that a parser has found, text[start:end], and what it has looked at, text[lo:hi].
type stretch struct{ start, end, lo, hi int }

// rule is a row made ready.
type rule struct {
	row
	order int                   // of rules that find the same bytes, the first in the table names them
	re    func() *regexp.Regexp // compiled when a literal is found; nil for a row without a pattern
}

// How much of a text a rule gets to see, in bytes.
const (
	window     = 1 << 10              // of a pattern, unless its row says otherwise
	maxWindow  = 32 << 10             // of any: an OpenPGP block with a few subkeys
	maxBefore  = 4 << 10              // before the literal, of a pattern that begins with its run
	lookBehind = maxRun + maxMask + 1 // before a secret: the start of an encoded run decides about it
)

// span is a find before masking: text[start:end].
type span struct {
	start, end int
	kind       string
	order      int
	secret     []byte // the secret itself where it stood encoded; nil: the text
}

func (w row) compile(order int) *rule {
	r := &rule{row: w, order: order}
	flags := ""
	if w.fold {
		flags = "(?i)"
	}
	switch {
	case w.pattern != "":
		r.re = pattern.Lazy(flags + `^(?:` + w.pattern + `)`)
	case w.value != "":
		r.re = pattern.Lazy(`^(?:` + w.value + `)$`)
	}
	return r
}

// parsed adds what the rule's parser finds where a literal of n bytes is.
func (r *rule) parsed(spans []span, text []byte, at, n int) []span {
	if r.word && continuesWord(text, at) {
		return spans
	}
	for _, s := range r.parse(text, at, n) {
		if s.start < s.end && r.passes(text[s.start:s.end]) && !touchesMask(text, s.lo, s.hi) {
			spans = append(spans, span{s.start, s.end, r.kind, r.order, nil})
		}
	}
	return spans
}

// match looks for the rule's secret where a literal of n bytes is. It returns the span, if there is one.
func (r *rule) match(text []byte, at, n int, bare *extent) (span, bool) {
	if r.pattern == "" {
		return r.assigned(text, at, n, bare)
	}
	from := at - r.before
	for r.run && from > 0 && at-from < maxBefore && inToken(text[from-1]) {
		from--
	}
	if from < 0 || r.word && continuesWord(text, from) {
		return span{}, false
	}
	end := min(from+cmp.Or(r.window, window), len(text))
	m := r.re().FindSubmatchIndex(text[from:end])
	if m == nil {
		return span{}, false
	}
	s := span{from + m[0], from + m[1], r.kind, r.order, nil}
	if len(m) > 2 {
		s.start, s.end = from+m[2], from+m[3]
	}
	if s.end == end { // longer than what is usual: no key is left in part
		for s.end < len(text) && s.end-from < maxWindow && inToken(text[s.end]) {
			s.end++
		}
	} else if s.end < len(text) && isAlnum(text[s.end-1]) && isAlnum(text[s.end]) {
		return span{}, false // a part of something longer
	}
	if !r.passes(text[s.start:s.end]) || touchesMask(text, from, max(from+m[1], s.end)) {
		return span{}, false
	}
	s.start = afterEscape(text, s.start) // \npm_… may be a line's end: the escape stays whole
	return s, s.start < s.end
}

// passes judges a secret that a pattern has found.
func (r *rule) passes(secret []byte) bool {
	return !published(secret) && (r.entropy == 0 || entropy(secret) >= r.entropy) &&
		(r.accept == nil || r.accept(secret))
}

// continuesWord reports whether text[at] continues a word: a letter or digit precedes it that is not
// the end of an escape such as \n or \u003d.
func continuesWord(text []byte, at int) bool {
	if at == 0 || !isAlnum(text[at-1]) {
		return false
	}
	return afterEscape(text, at-1) != at
}

// afterEscape returns the end of the escape of JSON that contains text[at]. How many backslashes it begins
// with does not matter: JSON inside of JSON has two, and a path of Windows loses a letter to the escape at most.
func afterEscape(text []byte, at int) int {
	const length = 6 // of \u0026
	for start := at - 1; start >= 0 && start > at-length; start-- {
		if text[start] != '\\' {
			continue
		}
		switch {
		case isUnicode(text[start:]):
			return start + length
		case start == at-1:
			return at + 1
		}
		return at
	}
	return at
}

// isUnicode reports whether p begins with an escape such as \u0026.
func isUnicode(p []byte) bool {
	return len(p) >= 6 && p[1] == 'u' && isHex(p[2]) && isHex(p[3]) && isHex(p[4]) && isHex(p[5])
}

// inToken reports whether c is one of the bytes that most tokens are made of.
func inToken(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }
