package chars

import (
	"regexp"
	"strings"
	"sync"
)

// TagLike matches the beginning, "<" first, of whatever a reader may take for a closing tag with one of these names,
// or with opening also for one that opens: in capitals, with spaces and signs in between, or with the name's parts
// joined otherwise. The text in which it looks has no hostile characters any more, or something visible in their place.
// The expression is compiled when it is first used.
func TagLike(opening bool, names ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return tagLike(opening, names) })
}

// tagLike is the expression of TagLike.
func tagLike(opening bool, names []string) *regexp.Regexp {
	const between = `[^\p{L}\p{N}<>]{0,3}`
	var all []string
	for _, name := range names {
		var letters []string
		for _, r := range name {
			if r != '_' && r != '-' {
				letters = append(letters, regexp.QuoteMeta(string(r)))
			}
		}
		all = append(all, strings.Join(letters, between))
	}
	closes := `[^\p{L}\p{N}<>/]{0,8}/`
	if opening {
		closes = ""
	}
	return regexp.MustCompile(`(?i)<` + closes + `[^\p{L}\p{N}<>]{0,8}(?:` + strings.Join(all, "|") + `)`)
}

// Untagged returns a text in which nothing is like these tags any more: their "<" is written as HTML writes it.
func Untagged(s string, like func() *regexp.Regexp) string {
	if !strings.Contains(s, "<") {
		return s // the usual case, which is not to compile anything
	}
	return like().ReplaceAllStringFunc(s, func(tag string) string { return "&lt;" + tag[1:] })
}
