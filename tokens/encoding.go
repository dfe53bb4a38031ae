package tokens

import (
	"strings"
	"unsafe"

	"ctxledger.dev/internal/fault"
)

// Encoding is a vocabulary with the rules that cut text into pieces. O200kBase and CL100kBase
// are always there; their tables are built by the first count, which takes some milliseconds.
type Encoding struct {
	name   string
	tables *tables
}

// The encodings that come with the program.
var (
	// O200kBase is that of GPT-4o and later and of gpt-oss.
	O200kBase = bundled("o200k_base", o200kPairs, (*masks).startsO200k, asciiO200k, (*classTable).runeO200k)
	// CL100kBase is that of GPT-4 and GPT-3.5.
	CL100kBase = bundled("cl100k_base", cl100kPairs, (*masks).startsCL100k, asciiCL100k, (*classTable).runeCL100k)
)

// Encodings returns the encodings that come with the program, in the order in which they are
// offered.
func Encodings() []*Encoding { return []*Encoding{O200kBase, CL100kBase} }

// ParseEncoding returns the encoding of that exact name, or an error of code invalid that
// lists the known ones.
func ParseEncoding(name string) (*Encoding, error) {
	var known []string
	for _, e := range Encodings() {
		if name == e.name {
			return e, nil
		}
		known = append(known, e.name)
	}
	return nil, fault.New(fault.Invalid, "tokens.encoding", "unknown encoding %.1000q: use %s", name,
		strings.Join(known, " or "))
}

// String returns the name: "o200k_base".
func (e *Encoding) String() string { return e.name }

// Count returns the number of tokens of text. Each maximal invalid part of a UTF-8 sequence
// counts as one U+FFFD, as decoders of the web do it.
func (e *Encoding) Count(text []byte) int {
	t := e.tokenizer()
	w := t.worker()
	defer t.release(w)
	return w.count(text)
}

// CountString is Count for a string; it does not copy it.
func (e *Encoding) CountString(s string) int {
	return e.Count(unsafe.Slice(unsafe.StringData(s), len(s))) // Count only reads
}
