package layout

import (
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
)

// OneLine returns s as one line of at most limit characters: white space becomes single spaces, and a cut ends
// with "…".
func OneLine(s string, limit int) string {
	s = s[:min(len(s), 8*limit+64)] // enough for limit characters of any width
	return Clip(strings.Join(strings.Fields(chars.Strip(s)), " "), limit)
}

// Clip returns the first limit characters of s, with "…" when something was cut.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if head := chars.Head(s, limit); len(head) < len(s) {
		return strings.TrimRight(head, " ") + "…"
	}
	return s
}

// Turn prints "turn 3".
func Turn(n int) string { return "turn " + strconv.Itoa(n) }

// TurnRange prints "turn 3" or "turns 3–7".
func TurnRange(from, to int) string {
	if from == to {
		return Turn(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// Comma puts a comma in front of what is not empty: ", ×4".
func Comma(s string) string {
	if s == "" {
		return ""
	}
	return "," + s
}

// Times prints " ×4", and nothing for once.
func Times(n int) string {
	if n < 2 {
		return ""
	}
	return " ×" + strconv.Itoa(n)
}
