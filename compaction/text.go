package compaction

import (
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
)

// oneLine returns s as one line of at most limit characters: white space becomes single spaces, and a cut ends
// with "…".
func oneLine(s string, limit int) string {
	s = s[:min(len(s), 8*limit+64)] // enough for limit characters of any width
	return clip(strings.Join(strings.Fields(chars.Strip(s)), " "), limit)
}

// clip returns the first limit characters of s, with "…" when something was cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if head := chars.Head(s, limit); len(head) < len(s) {
		return strings.TrimRight(head, " ") + "…"
	}
	return s
}

// turnRange prints "turn 3" or "turns 3–7".
func turnRange(from, to int) string {
	if from == to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// times prints " ×4", and nothing for once.
func times(n int) string {
	if n < 2 {
		return ""
	}
	return " ×" + strconv.Itoa(n)
}
