package memory

import (
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// cut returns the first n characters of s.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// plain makes a stored text safe to show to a model inside the block: without characters that are
// not seen, without HTML comments, which a person does not see either, and without anything that
// looks like the tags of the block. The order matters: each step may join what the next looks for.
func plain(s string) string {
	s = strings.Map(seen, strings.ToValidUTF8(s, "\uFFFD"))
	s = stripComments(s)
	return chars.Untagged(s, fence)
}

// seen drops control and formatting characters. Line feeds, tabs and the joiners that some scripts and emoji need
// stay; a carriage return would hide the text before it.
func seen(r rune) rune {
	switch {
	case r == '\u2028', r == '\u2029', r == '\u0085', r == '\v', r == '\f':
		return '\n'
	case chars.Hostile(r):
		return -1
	}
	return r
}

// fence is the beginning of an opening or closing tag of the block, however it is written.
var fence = chars.TagLike(true, "agent_memory")

// stripComments removes HTML comments; one without an end goes to the end of the text. Taking one
// out may join the parts of another.
func stripComments(s string) string {
	for {
		start := strings.Index(s, "<!--")
		if start < 0 {
			return s
		}
		end := strings.Index(s[start+4:], "-->")
		if end < 0 {
			return s[:start]
		}
		s = s[:start] + s[start+4+end+3:]
	}
}

// single makes a text one line.
func single(s string) string { return strings.Join(strings.Fields(s), " ") }
