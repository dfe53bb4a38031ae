package redact

import "bytes"

// A mask is [masked:kind:suffix]: no quote, no backslash, nothing that a rule takes for a secret.
const (
	maskStart  = "[masked:"
	maskDigits = 8  // hex digits of the suffix: two of 1,000 secrets share one in 1 of 8,000 ledgers
	maxKind    = 32 // bytes of a kind's name
	maxMask    = len(maskStart) + maxKind + 1 + maskDigits + 1
)

// maskLength returns the length of the mask that text begins with, or 0.
func maskLength(text []byte) int {
	if !bytes.HasPrefix(text, []byte(maskStart)) {
		return 0
	}
	i := len(maskStart)
	for i < len(text) && i < len(maskStart)+maxKind && (isLower(text[i]) || isDigit(text[i]) || text[i] == '-') {
		i++
	}
	end := i + 1 + maskDigits
	if i == len(maskStart) || end >= len(text) || text[i] != ':' || text[end] != ']' {
		return 0
	}
	for _, c := range text[i+1 : end] {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return end + 1
}

// touchesMask reports whether a mask is in text[lo:hi] or adjacent. What a rule has looked
// at must not: if a mask counted for as little as an ending, masking could make new secrets of what
// surrounds it, and masking twice would differ from masking once.
func touchesMask(text []byte, lo, hi int) bool {
	from := max(lo-maxMask, 0)
	for {
		i := bytes.Index(text[from:min(hi+len(maskStart), len(text))], []byte(maskStart))
		if i < 0 {
			return false
		}
		from += i
		if n := maskLength(text[from:]); n > 0 && from+n >= lo {
			return true
		}
		from++
	}
}
