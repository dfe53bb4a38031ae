package artifacts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// oneLine makes a text fit for one line of a message or stub: every stretch of white space and
// control characters becomes a space, bytes that are not UTF-8 become U+FFFD.
func oneLine(s string) string {
	f := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.ToValidUTF8(strings.Join(f, " "), "\uFFFD")
}

// cutLabel makes a short text storable: one line of valid UTF-8, at most maxLabel characters.
func cutLabel(s string) string { return prefix(oneLine(s), maxLabel) }

// prefix returns the longest beginning of s that has at most n characters and ends between two visible ones. If
// there is no such position in the first n characters, it cuts at a plain character border, so that reading page
// by page always advances.
func prefix(s string, n int) string {
	if head := chars.Head(s, n); head != "" {
		return head
	}
	return s[:offset(s, n)]
}

// suffix returns the longest ending of s that has at most n characters and starts between two
// visible ones, or at a plain character border like prefix.
func suffix(s string, n int) string {
	if tail := chars.Tail(s, n); tail != "" {
		return tail
	}
	return s[offset(s, utf8.RuneCountInString(s)-n):]
}

// offset returns where character n of s starts, 0-based, or the end of s.
func offset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// shorten cuts a line to its first and last parts, together at most width characters, and says
// how many characters are missing between them.
func shorten(line string, width int) string {
	n := utf8.RuneCountInString(line)
	if n <= width {
		return line
	}
	head, tail := prefix(line, width*7/10), suffix(line, width-width*7/10)
	return head + cutMark(n-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail)) + tail
}

// cutMark replaces the characters of a line that are not shown.
func cutMark(missing int) string {
	if missing == 0 {
		return ""
	}
	return "…[" + chars.Commas(missing) + " chars cut]…"
}

// nOf says in words which of total things a page shows: "1 match", "20 of 340 matches",
// "matches 21-40 of 340".
func nOf(one, many string, skipped, shown, total int) string {
	n := chars.Commas[int]
	switch {
	case shown == 1 && total == 1:
		return "1 " + one
	case shown == total:
		return n(total) + " " + many
	case skipped == 0:
		return n(shown) + " of " + n(total) + " " + many
	case shown == 0:
		return "0 more of " + n(total) + " " + many
	}
	return many + " " + n(skipped+1) + "-" + n(skipped+shown) + " of " + n(total)
}
