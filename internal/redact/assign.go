package redact

import "slices"

import "bytes"

// Bounds of an assignment, in bytes.
const (
	maxEscape = 8    // of the backslashes of an escape: JSON in JSON in JSON in JSON
	maxSuffix = 24   // of a name after its literal: PASSWORD_STAGING
	maxGap    = 16   // of the spaces on each side of the sign
	maxValue  = 8192 // of a value: the key of a kubeconfig has 4,000
)

// assigned looks for the value that is assigned to the name at text[at:at+n]: in the languages of
// programs, configurations, queries, markup and command lines, as such or escaped.
func (r *rule) assigned(text []byte, at, n int, bare *extent) (span, bool) {
	c := cursor{text, at + n}
	if !c.suffix() {
		return span{}, false
	}
	inQuotes := c.quote() != ""
	if !c.sign(inQuotes) && !c.flag(at) {
		return span{}, false
	}
	quote := c.quote()
	if inQuotes && quote == "" {
		return span{}, false // a number or a name; masked, it would break the document
	}
	start, ok := c.at, false
	if quote != "" {
		ok = c.quoted(quote)
	} else {
		ok = c.bare(bare)
	}
	if quote == "" && r.re != nil {
		// of the text around it: grep ends a name with a colon
		c.at = start + len(bytes.TrimRight(text[start:c.at], ":.!?"))
	}
	value := text[start:c.at]
	if !ok || !r.acceptsValue(value, quote != "") || touchesMask(text, at, c.at) {
		return span{}, false
	}
	return span{start, c.at, r.kind, r.order, nil}, true
}

// acceptsValue judges an assigned value.
func (r *rule) acceptsValue(value []byte, quoted bool) bool {
	if r.re != nil {
		return r.re().Match(value) && r.passes(value)
	}
	return plausible(value, quoted) && r.passes(value)
}

// cursor reads an assignment from left to right.
type cursor struct {
	text []byte
	at   int
}

// rest returns at most n bytes from the cursor on.
func (c *cursor) rest(n int) []byte { return c.text[c.at:min(c.at+n, len(c.text))] }

// take steps over s, if it is here.
func (c *cursor) take(s string) bool {
	if !bytes.HasPrefix(c.text[c.at:], []byte(s)) {
		return false
	}
	c.at += len(s)
	return true
}

// suffix steps over the end of a name in capitals and digits. It reports false where the name means
// something else than the secret: token_type, PASSWORD_FILE, secretName.
func (c *cursor) suffix() bool {
	from := c.at
	for _, b := range c.rest(maxSuffix + 1) {
		if !isUpper(b) && !isDigit(b) && b != '_' {
			break
		}
		c.at++
	}
	s := c.text[from:c.at]
	if len(s) > maxSuffix || len(s) > 0 && isUpper(s[0]) {
		return false
	}
	if c.at < len(c.text) && (isAlnum(c.text[c.at]) || c.text[c.at] == '-') {
		return false
	}
	for _, other := range []string{"FILE", "PATH", "DIR", "URL", "URI", "ID", "NAME", "TYPE", "LENGTH", "SIZE", "COUNT",
		"HASH", "TTL"} {
		if bytes.HasSuffix(s, []byte(other)) {
			return false
		}
	}
	return true
}

// quote steps over a quotation mark, with the backslashes that escape it, and returns it.
func (c *cursor) quote() string {
	from := c.at
	for c.at < len(c.text) && c.at-from < maxEscape && c.text[c.at] == '\\' {
		c.at++
	}
	switch {
	case c.at < len(c.text) && (c.text[c.at] == '"' || c.text[c.at] == '\'' || c.text[c.at] == '`'):
		c.at++
	default:
		c.at = from
	}
	return string(c.text[from:c.at])
}

// gap steps over spaces and reports whether there were any.
func (c *cursor) gap() bool {
	from := c.at
	for c.at < len(c.text) && c.at-from < maxGap && (c.text[c.at] == ' ' || c.text[c.at] == '\t') {
		c.at++
	}
	return c.at > from
}

// sign steps over what assigns a value to a name or compares it with one. Some encoders of JSON escape
// the signs = and > as well.
func (c *cursor) sign(inQuotes bool) bool {
	from := c.at
	if inQuotes {
		c.take("]")
	} else if c.take(">") || c.escaped("003e") { // <password>
		return true
	}
	c.gap()
	if slices.ContainsFunc([]string{":=", "=>", "===", "==", "!=", "=", ":"}, c.take) {
		c.escaped("003e") // =>
		c.gap()
		return true
	}
	if c.escaped("003d") {
		c.gap()
		return true
	}
	c.at = from
	return false
}

// escaped steps over a character that JSON escapes by its number, however many times.
func (c *cursor) escaped(number string) bool {
	i := c.at
	for i < len(c.text) && i-c.at < maxEscape && c.text[i] == '\\' {
		i++
	}
	if i == c.at || !bytes.HasPrefix(c.text[i:], []byte("u"+number)) {
		return false
	}
	c.at = i + 1 + len(number)
	return true
}

// flag steps over the space after --name, where at is in the name.
func (c *cursor) flag(at int) bool {
	for i := at; i > 0 && at-i < maxSuffix; i-- {
		if b := c.text[i-1]; b == '-' && i > 1 && c.text[i-2] == '-' {
			return c.gap()
		} else if !isAlnum(b) && b != '-' {
			return false
		}
	}
	return false
}

// quoted goes to the end of a value in quotation marks and reports whether it has one. The value is a
// whole number of escapes; what is between two strings of a document is no value.
func (c *cursor) quoted(quote string) bool {
	if c.at < len(c.text) && bytes.IndexByte([]byte(",:;]}) \t\r\n"), c.text[c.at]) >= 0 {
		return false
	}
	mark := quote[len(quote)-1]
	for from := c.at; c.at < len(c.text) && c.at-from <= maxValue; c.at++ {
		switch b := c.text[c.at]; {
		case bytes.HasPrefix(c.text[c.at:], []byte(quote)):
			return true
		case b == '"', b == mark, b == '\n', b == '\r':
			return false
		case b == '\\':
			c.at++
		}
	}
	c.at = min(c.at, len(c.text)) // an escape without its second half
	return false
}

// extent is the newest value without quotation marks that was looked at: text[from:to]. A value may be inside
// of another, as in a=b=c, and ends where that one does; so no byte is looked at twice.
type extent struct{ from, to int }

// bare goes to the end of a value without quotation marks and reports whether it is one: not a call, not
// an element, not too long.
func (c *cursor) bare(x *extent) bool {
	from := c.at
	if from < x.from || from > x.to || x.to == 0 {
		x.from, x.to = from, from
		for x.to < len(c.text) && !endsValue(c.text[x.to]) {
			x.to++
		}
	}
	c.at = x.to
	return c.at-from <= maxValue && (c.at == len(c.text) || bytes.IndexByte([]byte("([{"), c.text[c.at]) < 0)
}

// endsValue reports whether a byte ends a value without quotation marks.
func endsValue(b byte) bool {
	switch b {
	case '"', '\'', '`', '\\', ',', ';', '&', '<', '>', '(', ')', '[', ']', '{', '}', '|':
		return true
	}
	return b <= ' ' || b > '~'
}
