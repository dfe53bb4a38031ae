package artifacts

import (
	"strings"
	"unicode/utf8"
)

// excerpts returns a matching line, or, when it is longer than width characters, the parts around its first matches: fewer,
// where they would be shorter than minExcerpt.
func excerpts(line []byte, all [][]int, width int) string {
	if len(line) <= width || utf8.RuneCount(line) <= width {
		return visible(line)
	}
	all = all[:min(len(all), max(1, width/minExcerpt))]
	each := (width - (len(all)-1)*maxMark) / len(all) // with the marks between the parts
	var out strings.Builder
	from, missing := 0, 0
	for i, at := range all {
		until := len(line)
		if i+1 < len(all) { // half of the way to the next one
			until = max(at[1], from+wholeChars(line[from:], (at[1]+all[i+1][0])/2-from))
		}
		before, shown, behind := excerpt(line[from:until], at[0]-from, each)
		out.WriteString(cutMark(missing+before) + shown)
		from, missing = until, behind
	}
	return out.String() + cutMark(missing)
}

// Around each of several matches in a long line at least so many characters are shown, and of so many matches at most.
const (
	minExcerpt  = 300
	maxExcerpts = wideLine / minExcerpt
	maxMark     = 24 // characters of a mark of a cut
)

// excerpt returns width characters of a part of a line around the match that begins at a byte, a third of them before it, and
// how many characters of the part are missing on both sides.
func excerpt(part []byte, at, width int) (before int, shown string, behind int) {
	above, rest := visible(part[:at]), visible(part[at:])
	lead := suffix(above, width/3)
	body := prefix(rest, width-utf8.RuneCountInString(lead))
	if len(body) == len(rest) { // the match is near the end: show more of what is before it
		lead = suffix(above, width-utf8.RuneCountInString(body))
	}
	return utf8.RuneCountInString(above[:len(above)-len(lead)]), lead + body, utf8.RuneCountInString(rest[len(body):])
}
