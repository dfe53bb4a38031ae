package redact

import "bytes"

// maxPipe is how far before the program that reads a password what writes it may begin, in bytes.
const maxPipe = 512

// pipedPassword finds the password that is written to a program which reads one from its standard input, where
// text[at:at+n] says that it does: echo X | docker login --password-stdin, or with a here-string.
func pipedPassword(text []byte, at, n int) []stretch {
	if s, ok := hereString(text, at, at+n); ok {
		return []stretch{s}
	}
	pipe := pipeBefore(text, at)
	if pipe < 0 {
		return nil
	}
	for i := pipe - 1; i >= 0 && pipe-i <= maxPipe && text[i] != '\n'; i-- {
		for _, writer := range []string{"echo", "printf"} {
			if bytes.HasPrefix(text[i:pipe], []byte(writer)) && !continuesWord(text, i) {
				sign := ""
				if string(text[at:at+n]) == "chpasswd" {
					sign = ":" // it reads user:password
				}
				return written(text[:pipe], i, i+len(writer), sign, at+n)
			}
		}
	}
	return nil
}

// pipeBefore returns the offset of the pipe into the command that contains text[at], or -1.
func pipeBefore(text []byte, at int) int {
	for i := at - 1; i >= 0 && at-i <= maxPipe && !endsLine(text, i); i-- {
		if text[i] == '|' && i > 0 && text[i-1] != '|' {
			return i
		}
	}
	return -1
}

// endsLine reports whether a line ends at text[i]: there or in an escape for JSON, but not where a shell reads on.
func endsLine(text []byte, i int) bool {
	if text[i] == '\n' {
		return i == 0 || text[i-1] != '\\'
	}
	return text[i] == 'n' && i > 0 && text[i-1] == '\\' && (i == 1 || text[i-2] != '\\')
}

// written finds what the words at the end of text, from an offset on, write. A format is left out, and what
// precedes a sign; the words reach up to the end. A mask between start and end is in the way.
func written(text []byte, start, from int, sign string, end int) []stretch {
	var found []stretch
	c := newCommand(text, start, from)
	for range maxWords {
		w, ok := c.word()
		if !ok {
			break
		}
		value := w.whole().behind(text, sign)
		value.to -= endOfLine(text[value.from:value.to])
		if p := text[value.from:value.to]; isPassword(p) && p[0] != '%' {
			found = append(found, stretch{value.from, value.to, start, end})
		}
	}
	if c.at < len(text) {
		return nil // something else is written
	}
	return found
}

// endOfLine returns how many bytes the escape \n has that a value ends with.
func endOfLine(value []byte) int {
	word := bytes.TrimSuffix(value, []byte("n"))
	if line := bytes.TrimRight(word, `\`); len(word) < len(value) && len(line) < len(word) {
		return len(value) - len(line)
	}
	return 0
}

// hereString finds the password in a here-string behind text[at:end].
func hereString(text []byte, at, end int) (stretch, bool) {
	c := newCommand(text, at, end)
	for c.at < len(c.text) && !endsLine(c.text, c.at) && c.text[c.at] != '|' && c.text[c.at] != ';' {
		if !c.arrows() {
			c.at++
			continue
		}
		c.gap()
		w, ok := c.read()
		value := w.whole()
		return stretch{value.from, value.to, at, value.to}, ok && isPassword(text[value.from:value.to])
	}
	return stretch{}, false
}

// arrows steps over the sign of a here-string. Some encoders of JSON escape it.
func (c *command) arrows() bool {
	from := c.at
	for range len("<<<") {
		if !c.take("<") && !c.escaped("003c") {
			c.at = from
			return false
		}
	}
	return true
}
