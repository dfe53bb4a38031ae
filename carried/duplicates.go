package carried

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/words"
)

// minPassage is the least length of a passage that is compared, in characters without the white space: shorter ones
// repeat by chance.
const minPassage = 80

// maxDuplicates is how many duplicates one file is told of.
const maxDuplicates = 20

// duplicates finds passages that several always-loaded files of an agent have in common, or one of them twice: each
// request carries them twice.
func (f *finder) duplicates(h *Host) {
	type place struct {
		path string
		line int
	}
	first := map[string]place{}
	h.Each(func(p *Part) {
		if p.Kind != Memory && p.Kind != Rule || p.When != "" {
			return
		}
		found := 0
		eachPassage(f.reader.read(p.Path).text, func(at Span, line int, key, text string) {
			before, known := first[key]
			if !known {
				first[key] = place{p.Path, line}
				return
			}
			if found++; found > maxDuplicates {
				return
			}
			where := fmt.Sprintf("line %d", before.line)
			if before.path != p.Path {
				where = chars.Line(f.nameOf(before.path)) + ", " + where
			}
			p.Problems = append(p.Problems, Problem{Duplicate,
				fmt.Sprintf("also in %s: each request carries these %s tokens twice", where, f.count(text)), at})
		})
	})
}

// eachPassage calls fn for every paragraph and list item of a text that is long enough, with its first line and a key
// that is the same for the same words.
func eachPassage(text string, fn func(at Span, line int, key, text string)) {
	start, first, n, at := 0, 1, 1, 0
	end := func(to int) {
		said := strings.Fields(strings.TrimLeft(text[start:to], " \t-*+>#0123456789."))
		if key := words.Key(strings.Join(said, " ")); utf8.RuneCountInString(key) >= minPassage {
			fn(Span{start, start + len(strings.TrimRight(text[start:to], " \t\r\n"))}, first, key, text[start:to])
		}
		start, first = to, n
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		item := strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* ") || strings.HasPrefix(trimmed, "#")
		if trimmed == "" || item {
			end(at)
			if trimmed == "" {
				start, first = at+len(line), n+1
			}
		}
		at += len(line)
		n++
	}
	end(at)
}
