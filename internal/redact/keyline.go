package redact

import "bytes"

// line is a line of a text: text[from:to], and where the next one begins.
type line struct{ from, to, next int }

// lineAt returns the line from an offset on. A line break may be escaped for JSON.
func lineAt(text []byte, at int) line {
	for i := at; i < len(text); {
		next := bytes.IndexAny(text[i:], "\n\\")
		if next < 0 {
			break
		}
		to := i + next
		for i = to; i < len(text) && text[i] == '\\'; {
			i++
		}
		if i < len(text) && (text[i] == '\n' || i > to && (text[i] == 'n' || text[i] == 'r')) {
			return line{at, to, i + 1}
		}
	}
	return line{at, len(text), len(text)}
}

// lineBefore returns the line that ends before an offset. It goes back no farther than to least.
func lineBefore(text []byte, end, least int) line {
	to := end
	if to > least && text[to-1] == '\n' {
		to--
	} else if to-1 > least && escapesLine(text, to-1) {
		for to--; to > least && text[to-1] == '\\'; {
			to--
		}
	}
	from := to
	for from > least && text[from-1] != '\n' && !escapesLine(text, from-1) {
		from--
	}
	return line{from, to, end}
}

// escapesLine reports whether text[i] ends a line break that is escaped for JSON.
func escapesLine(text []byte, i int) bool {
	return i > 0 && (text[i] == 'n' || text[i] == 'r') && text[i-1] == '\\'
}

// body is what a line has of a key: text[from:to].
type body struct {
	from, to int
	size     int  // of the longest run of base64
	dense    bool // the longest run has all kinds of characters
	plain    bool // there is nothing else but what diffs, quotations and numbers put around it
	short    int  // runs that are no numbers and too short to be more than the end of a key
}

// key reports whether a line is one of a key for certain.
func (b body) key() bool {
	const full = 40 // bytes
	return b.dense && (b.size >= full || b.size >= leastBody && b.plain)
}

// leastBody is the shortest run of base64 that is conclusive, in bytes.
const leastBody = 16

// bodyOf finds the base64 in a line.
func bodyOf(text []byte, l line) body {
	b := body{from: l.to, to: l.to, plain: true}
	for i := l.from; i < l.to; {
		if !inKey(text[i]) {
			if bytes.IndexByte([]byte(" \t\r:|>-#*;,\"'`\\()[]{}.\xe2\x86\x92\x80\xa6"), text[i]) < 0 {
				b.plain = false
			}
			i++
			continue
		}
		from := i
		for i < l.to && inKey(text[i]) {
			i++
		}
		if from > l.from && text[from-1] == '\\' {
			from++ // \tMII…
		}
		if n := i - from - 1; text[from] == '+' && (n == pemWidth || n == sshWidth) {
			from++ // of a diff
		}
		b.take(text, from, i)
	}
	b.plain = b.plain && (b.short == 0 || b.short == 1)
	return b
}

// take adds a run of base64.
func (b *body) take(text []byte, from, end int) {
	n := end - from
	switch {
	case n >= leastBody && b.size < leastBody:
		b.from, b.to = from, end
	case n >= leastBody:
		b.to = end
	case isNumber(text[from:end]) && b.size < leastBody ||
		!bytes.ContainsFunc(text[from:end], func(r rune) bool { return isAlnum(byte(r)) }):
		return
	default:
		if b.short++; b.size == 0 {
			b.from = from
		}
		b.to = end
	}
	if n > b.size {
		b.size, b.dense = n, isDense(text[from:end])
	}
}

// isNumber reports whether p is digits.
func isNumber(p []byte) bool {
	for _, c := range p {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// isDense reports whether p has capitals and small letters, and digits or signs: no name, no path, no number.
func isDense(p []byte) bool {
	var upper, lower, other bool
	for _, c := range p {
		switch {
		case isUpper(c):
			upper = true
		case isLower(c):
			lower = true
		default:
			other = true
		}
	}
	return upper && lower && other && !isPath(p)
}

// isPath reports whether p is a path: at least two thirds of it are words between slashes, in small letters behind their first.
// In base64 that is as good as impossible.
func isPath(p []byte) bool {
	inWords := 0
	for part := range bytes.SplitSeq(p, []byte("/")) {
		if len(part) > 0 && !bytes.ContainsFunc(part[1:], func(r rune) bool { return !isLower(byte(r)) }) {
			inWords += len(part)
		}
	}
	return 3*inWords >= 2*len(p)
}

// isMixed reports whether p has small letters, and capitals behind its first byte: no word of prose.
func isMixed(p []byte) bool {
	return bytes.ContainsFunc(p, func(r rune) bool { return isLower(byte(r)) }) &&
		bytes.ContainsFunc(p[1:], func(r rune) bool { return isUpper(byte(r)) })
}

// inKey reports whether c may be in the base64 of a key.
func inKey(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
