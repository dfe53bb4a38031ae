package jsonspan

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text of a JSON string, or "" for any other value and for one over limit bytes.
func Text(raw []byte, limit int) string {
	if len(raw) < 2 || raw[0] != '"' || len(raw)-2 > limit {
		return ""
	}
	return Unquote(raw)
}

// Unquote returns the text of a string literal that a Walker has passed over, as encoding/json does: half a surrogate pair
// and bytes that are not UTF-8 become U+FFFD.
func Unquote(literal []byte) string {
	body := literal[1 : len(literal)-1]
	if !utf8.Valid(body) {
		var v string
		_ = json.Unmarshal(literal, &v) // cannot fail: a Walker is as strict
		return v
	}
	at := bytes.IndexByte(body, '\\')
	if at < 0 {
		return string(body)
	}
	var out strings.Builder
	out.Grow(len(body))
	for ; at >= 0; at = bytes.IndexByte(body, '\\') {
		r, n := Escape(body[at:])
		out.Write(body[:at])
		out.WriteRune(r) // half a pair becomes U+FFFD
		body = body[at+n:]
	}
	out.Write(body)
	return out.String()
}

// Escape returns the character that the escape at the start of b means and the length of the escape, 0 if b does not start
// with one. Half a surrogate pair is returned as it is.
func Escape(b []byte) (r rune, n int) {
	if len(b) < 2 || b[0] != '\\' {
		return 0, 0
	}
	if b[1] != 'u' {
		if c := simple[b[1]]; c != 0 {
			return rune(c), 2
		}
		return 0, 0
	}
	r, n = codeUnit(b)
	if !utf16.IsSurrogate(r) {
		return r, n
	}
	if low, m := codeUnit(b[n:]); m > 0 {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, n + m
		}
	}
	return r, n
}

// codeUnit reads the UTF-16 code unit that an escape at the start of b encodes.
func codeUnit(b []byte) (r rune, n int) {
	const size = len(`\u0000`)
	if len(b) < size || b[0] != '\\' || b[1] != 'u' {
		return 0, 0
	}
	for _, c := range b[2:size] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, 0
		}
		r = r<<4 | rune(c)
	}
	return r, size
}
