package effects

import (
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// silent matches the lines of source code that say little: brackets alone, imports.
var silent = pattern.Lazy(`^(?:[^\pL\pN]*|package \S+|(?:from \S+ )?import [^.]*|import \S+|(?:using|use) \S+;|#include .*|` +
	`"[^" ]*",?)$`)

// LinesOnlyIn returns the lines of a text that another has not and that say something, about most bytes of them, joined by
// " ⏎ ".
func LinesOnlyIn(text, other string, most int) string {
	var known []string
	for l := range strings.Lines(other) {
		known = append(known, strings.TrimSpace(l))
	}
	slices.Sort(known)
	var out []string
	size := 0
	for l := range strings.Lines(chars.Strip(text)) {
		l = strings.TrimSpace(l)
		if _, is := slices.BinarySearch(known, l); is || size > most || silent().MatchString(l) {
			continue
		}
		size += len(l)
		out = append(out, l)
	}
	return strings.Join(out, " ⏎ ")
}
