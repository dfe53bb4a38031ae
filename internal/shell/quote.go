package shell

import (
	"strings"

	"ctxledger.dev/internal/pattern"
)

// plainWord matches what a shell takes as one word, without quotes.
var plainWord = pattern.Lazy(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quote writes a word for a POSIX shell, without quotes where it needs none.
func Quote(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
