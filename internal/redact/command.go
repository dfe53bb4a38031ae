package redact

import (
	"bytes"
	"slices"
	"strings"
)

// Bounds of a command line, in bytes and words.
const (
	maxCommand = 1 << 10
	maxWords   = 64
)

// commandPasswords finds the passwords among the arguments of the program named at text[at:at+n].
func commandPasswords(text []byte, at, n int) []stretch {
	if at > 0 && bytes.IndexByte([]byte("_.=$"), text[at-1]) >= 0 ||
		at > 1 && text[at-1] == '-' && isAlnum(text[at-2]) {
		return nil
	}
	options := byProgram()[string(text[at:at+n])]
	c := newCommand(text, at, at+len(bytes.TrimRight(text[at:at+n], " ")))
	c.take(".exe")
	var found []stretch
	var waiting *option // for the value in the next word
	for range maxWords {
		w, ok := c.word()
		if !ok {
			break
		}
		o, value := waiting, w.whole()
		if waiting = nil; o == nil {
			if o, value = w.option(text, options); o != nil && value.from == value.to {
				waiting = o
				continue
			}
		}
		if o == nil {
			continue
		}
		if value = value.behind(text, o.after); isPassword(text[value.from:value.to]) &&
			!isOption(text[value.from:value.to], options) {
			found = append(found, stretch{value.from, value.to, at, value.to})
		}
	}
	return found
}

// command reads the words of a command line: as a shell takes it, escaped for JSON, or as a list of strings.
type command struct {
	cursor
	cut bool // the text goes on behind what is read
}

// newCommand reads from text[at:] on, within the bounds of a command line that begins at start.
func newCommand(text []byte, start, at int) command {
	end := min(start+maxCommand, len(text))
	return command{cursor{text[:end], at}, end < len(text)}
}

// word is one word: head, and what follows it in quotation marks, as in --password="X".
type word struct{ head, tail extent }

// whole returns the word as a value.
func (w word) whole() extent {
	if w.tail.to > w.tail.from {
		return w.tail
	}
	return w.head
}

// option returns the option that a word is, with its value; the value is empty if it is the next word. It returns
// nil for other words, and for options without a value.
func (w word) option(text []byte, options []option) (*option, extent) {
	name, value := w.head, w.tail
	if name.from == name.to {
		name, value = value, extent{} // '-pX'
	}
	head := string(text[name.from:name.to])
	for i := range options {
		o := &options[i]
		at, ok := o.takes(head)
		switch {
		case !ok:
		case at < len(head):
			return o, extent{name.from + at, name.to}
		case value.to > value.from:
			return o, value
		case o.form&apart != 0:
			return o, extent{}
		}
	}
	return nil, extent{}
}

// isOption reports whether a value is rather an option, in a list of them.
func isOption(value []byte, options []option) bool {
	return slices.ContainsFunc(options, func(o option) bool { return o.name == string(value) })
}

// behind returns the part of a value behind a sign, as in user:password; all of it if sign is "".
func (x extent) behind(text []byte, sign string) extent {
	i := strings.Index(string(text[x.from:x.to]), sign)
	if i < 0 {
		return extent{}
	}
	return extent{x.from + i + len(sign), x.to}
}

// word reads the next word. It reports false at the end of the command, and where the bounds cut a word.
func (c *command) word() (word, bool) {
	if !c.separated() {
		return word{}, false
	}
	return c.read()
}

// read reads a word that begins here.
func (c *command) read() (w word, ok bool) {
	w.head.from = c.at
	for c.at < len(c.text) && !endsWord(c.text[c.at]) {
		c.at++
	}
	w.head.to = c.at
	if c.at == len(c.text) {
		return w, !c.cut && w.head.to > w.head.from
	}
	end := c.at
	if quote := c.quote(); quote != "" && !c.isList(end) {
		from := c.at
		if c.quoted(quote) {
			w.tail, end = extent{from, c.at}, c.at+len(quote)
		}
	}
	c.at = end
	return w, w.head.to > w.head.from || w.tail.to > w.tail.from
}

// isList reports whether the marks between two strings of a list are at an offset.
func (c *command) isList(at int) bool {
	other := command{cursor{c.text, at}, c.cut}
	return other.list()
}

// separated steps over what separates two words: spaces, the end of a line that goes on in the next one, or
// the marks between two strings of a list.
func (c *command) separated() bool {
	if c.list() {
		return true
	}
	from := c.at
	for c.at < len(c.text) {
		if !c.gap() && !c.continued() {
			break
		}
	}
	return c.at > from
}

// continued steps over backslashes that have a shell read on in the next line. In JSON both are escaped.
func (c *command) continued() bool {
	i := c.at
	for i < len(c.text) && c.text[i] == '\\' {
		i++
	}
	n := i - c.at
	switch {
	case n == 0 || n > maxEscape || i == len(c.text):
		return false
	case c.text[i] == '\n' || n >= 3 && c.text[i] == 'n':
		c.at = i + 1
		return true
	}
	return false
}

// list steps over the end of a string in a list and the beginning of the next one.
func (c *command) list() bool {
	before := c.at
	if quote := c.quote(); quote != "" && c.take(",") {
		for c.at < len(c.text) && c.at-before < 2*maxGap && isSpace(c.text[c.at]) {
			c.at++
		}
		if c.take(quote) {
			return true
		}
	}
	c.at = before
	return false
}

// endsWord reports whether a byte ends a word of a command, or the command.
func endsWord(b byte) bool {
	switch b {
	case '"', '\'', '`', '\\', ';', '&', '|', '<', '>', '(', ')':
		return true
	}
	return b <= ' ' || b > '~'
}

// isPassword reports whether a value where a password is expected may be one: anything but a
// variable, an option, or a placeholder of an example.
func isPassword(value []byte) bool {
	const least, most = 4, 512 // bytes
	if len(value) < least || len(value) > most || value[0] == '-' || placeholder(value) ||
		bytes.IndexByte(value, '$') == 0 {
		return false
	}
	capitals := true
	for _, c := range value {
		if c < ' ' || c > '~' {
			return false
		}
		capitals = capitals && (isUpper(c) || c == '_')
	}
	if capitals {
		return false // PASSWORD, MY_TOKEN
	}
	switch strings.ToLower(string(value)) {
	case "password", "passwd", "pass", "passphrase", "secret", "token", "mypassword", "my-password", "my_password",
		"stdin", "prompt",
		"user", "username", "string", "none", "null", "true", "false":
		return false
	}
	return true
}
