package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quote returns a JSON string literal, without the escapes that only HTML needs.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string into memory: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// unquote returns the value of a string literal that the scanner has passed over. Half a surrogate
// pair and bytes that are not UTF-8 become U+FFFD, as in encoding/json.
func unquote(lit []byte) string {
	body := lit[1 : len(lit)-1]
	if !utf8.Valid(body) {
		var v string
		if err := json.Unmarshal(lit, &v); err != nil {
			return strings.ToValidUTF8(string(body), "\uFFFD") // not reached: the scanner has checked it
		}
		return v
	}
	at := bytes.IndexByte(body, '\\')
	if at < 0 {
		return string(body)
	}
	out := make([]byte, 0, len(body))
	for ; at >= 0; at = bytes.IndexByte(body, '\\') {
		out = append(out, body[:at]...)
		var n int
		out, n = unescape(out, body[at:])
		body = body[at+n:]
	}
	return string(append(out, body...))
}

// unescape appends what the escape at the start of b stands for and returns the escape's length.
func unescape(out, b []byte) ([]byte, int) {
	if b[1] != 'u' {
		c := b[1]
		if i := strings.IndexByte("bfnrt", c); i >= 0 {
			c = "\b\f\n\r\t"[i]
		}
		return append(out, c), 2
	}
	r, n := codeUnit(b), 6
	if utf16.IsSurrogate(r) {
		pair := utf8.RuneError
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			pair = utf16.DecodeRune(r, codeUnit(b[6:]))
		}
		if r = pair; r != utf8.RuneError {
			n = 12
		}
	}
	return utf8.AppendRune(out, r), n
}

// codeUnit reads the four digits of the escape at the start of b.
func codeUnit(b []byte) rune {
	v, _ := strconv.ParseUint(string(b[2:6]), 16, 16) // the scanner has checked the digits
	return rune(v)
}
