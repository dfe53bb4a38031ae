package columns

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// terminal is how a terminal counts: what styles a text takes no column.
var terminal = displaywidth.Options{ControlSequences: true}

// Width returns how many columns a line takes in a terminal.
func Width(s string) int { return terminal.String(s) }

// Wrap breaks a text that is wider than n columns between words, and a word that is wider anywhere. Into no column nothing fits:
// such a text stays as it is.
func Wrap(text string, n int) string {
	if n < 1 {
		return text
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		switch {
		case i == 0:
		case used+1+Width(word) <= n:
			b.WriteByte(' ')
			used++
		default:
			b.WriteByte('\n')
			used = 0
		}
		pieces := Pieces(word, n)
		b.WriteString(strings.Join(pieces, "\n"))
		if len(pieces) > 1 {
			used = 0
		}
		used += Width(pieces[len(pieces)-1])
	}
	return b.String()
}
