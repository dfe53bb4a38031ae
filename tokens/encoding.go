package tokens

import (
	"iter"
	"strings"
	"unsafe"

	"ctxledger.dev/internal/fault"
)

// Encoding names a public vocabulary with its rules. The zero value, and any value that is
// not one of the constants, counts as O200kBase; ParseEncoding refuses such names.
type Encoding string

// The encodings that are counted exactly.
const (
	O200kBase  Encoding = "o200k_base"  // GPT-4o and later, gpt-oss
	CL100kBase Encoding = "cl100k_base" // GPT-4, GPT-3.5
)

// encodings lists the known encodings in the order in which they are offered.
var encodings = []Encoding{O200kBase, CL100kBase}

// ParseEncoding returns the encoding of that exact name, or an error of code invalid that
// lists the known ones.
func ParseEncoding(name string) (Encoding, error) {
	known := make([]string, len(encodings))
	for i, e := range encodings {
		if name == string(e) {
			return e, nil
		}
		known[i] = string(e)
	}
	return "", fault.New(fault.Invalid, "tokens.encoding", "unknown encoding %.40q: use %s", name, strings.Join(known, " or "))
}

// Count returns the number of tokens of text. Each maximal invalid part of a UTF-8 sequence
// counts as one U+FFFD, as decoders of the web do it.
func (e Encoding) Count(text []byte) int {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	return w.count(text)
}

// CountString is Count for a string; it does not copy it.
func (e Encoding) CountString(s string) int {
	return e.Count(unsafe.Slice(unsafe.StringData(s), len(s))) // Count only reads
}

// Encode appends the token ids of text to dst and returns it, so that
// len(Encode(nil, text)) == Count(text).
func (e Encoding) Encode(dst []uint32, text []byte) []uint32 {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	for piece := range t.pieces(text) {
		dst = append(dst, w.merge(piece)...)
	}
	return dst
}

func (e Encoding) tokenizer() *tokenizer {
	if e == CL100kBase {
		return cl100kBase()
	}
	return o200kBase()
}

// pieces yields the pieces of text in order; joined they are the text.
func (t *tokenizer) pieces(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for start := 0; start < len(text); {
			end := t.next(text, start)
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
	}
}
