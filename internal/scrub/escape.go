package scrub

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"ctxledger.dev/internal/jsonspan"
)

// escape reads the escape sequence at the beginning of b: what it means and how many bytes it takes; 0
// when there is none. Half a surrogate pair is none.
func escape(b []byte) (rune, int) {
	r, n := jsonspan.Escape(b)
	if utf16.IsSurrogate(r) {
		return 0, 0
	}
	return r, n
}

// unescaped returns b with its escape sequences replaced by what they encode, and whether there
// were any. What is no sequence stays as it is.
func unescaped(b []byte) ([]byte, bool) {
	at := bytes.IndexByte(b, '\\')
	if at < 0 {
		return b, false
	}
	out, found := make([]byte, 0, len(b)), false
	for {
		out = append(out, b[:at]...)
		b = b[at:]
		r, n := escape(b)
		switch {
		case n > 0:
			out, b, found = utf8.AppendRune(out, r), b[n:], true
		case len(b) > 0:
			out, b = append(out, b[0]), b[1:]
		}
		if at = bytes.IndexByte(b, '\\'); at < 0 {
			return append(out, b...), found
		}
	}
}

// traced is a text with, for each of its bytes and its end, where in the source it comes from.
type traced struct {
	text []byte
	at   []int
}

// trace returns a source as it is.
func trace(source string) traced {
	t := traced{text: []byte(source), at: make([]int, len(source)+1)}
	for i := range t.at {
		t.at[i] = i
	}
	return t
}

// unescaped is the function of that name, with the way back to the source.
func (t traced) unescaped() traced {
	out := traced{text: make([]byte, 0, len(t.text)), at: make([]int, 0, len(t.at))}
	for i := 0; i < len(t.text); {
		r, n := escape(t.text[i:])
		if n == 0 {
			out.text, out.at = append(out.text, t.text[i]), append(out.at, t.at[i])
			i++
			continue
		}
		out.text = utf8.AppendRune(out.text, r)
		for len(out.at) < len(out.text) {
			out.at = append(out.at, t.at[i])
		}
		i += n
	}
	out.at = append(out.at, t.at[len(t.text)])
	return out
}
