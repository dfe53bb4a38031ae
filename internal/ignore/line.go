package ignore

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Line returns the line, without its break, that has git ignore one path and nothing else, when it is in
// the .gitignore of the tree's root. The path has slashes and is relative to the root. ok is false for one that no
// line can name: with control characters, which a line break is one of, not in UTF-8, or outside the tree.
func Line(name string, dir bool) (line string, ok bool) {
	if name != path.Clean(name) || name == "." || name == ".." || path.IsAbs(name) || strings.HasPrefix(name, "../") ||
		!utf8.ValidString(name) {
		return "", false
	}
	var b strings.Builder
	b.WriteByte('/')
	for i, c := range []byte(name) {
		switch {
		case c < ' ', c == 0x7f:
			return "", false
		case strings.IndexByte(`*?[\`, c) >= 0, c == ' ' && i+1 == len(name) && !dir: // spaces at the end do not count
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	if dir {
		b.WriteByte('/')
	}
	return b.String(), true
}
