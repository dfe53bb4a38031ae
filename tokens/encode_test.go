package tokens

import (
	"strings"
	"testing"
)

// What is remembered is what merging gives, whether it fits into a slot or not.
func TestRememberedCountsAreThoseOfMerging(t *testing.T) {
	behind := strings.Repeat(" ", 16) // so that all that is before it is looked up
	for _, text := range []string{
		"a", " hello", "\n", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xe2\x82", "\u00e4\u00f6\u00fc",
		"\u5b57\u5b58", "qzx", "qzxwvkj",
		"zqxjkvwzqxjkvwz", "zqxjkvwzqxjkvwzq", " !@#$%^&*()_+~", "0", "12", "\U0001f469\u200d\U0001f469",
	} {
		checkText(t, text+behind)
	}
}

// encode appends the token ids of text to dst: what Count counts.
func (e *Encoding) encode(dst []uint32, text []byte) []uint32 {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	for start := 0; start < len(text); {
		for _, end := range w.cut(t, text, start) {
			dst = append(dst, w.merge(text[start:end])...)
			start = end
		}
	}
	return dst
}
