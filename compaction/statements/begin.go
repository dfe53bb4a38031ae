package statements

import "strings"

// Begin returns where the first line or sentence begins that begins within the first most bytes of a text, the end of
// a longer one: the first word if none does.
func Begin(text string, most int) int {
	most = min(most, len(text))
	if i := strings.IndexByte(text[:most], '\n'); i >= 0 {
		return i + 1
	}
	if parts := sentencesOf(text); len(parts) > 1 && len(parts[0]) < most {
		return strings.Index(text, parts[0]) + len(parts[0])
	}
	if i := strings.IndexByte(text[:most], ' '); i >= 0 {
		return i + 1
	}
	return 0
}
