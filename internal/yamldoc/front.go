package yamldoc

import "strings"

// maxFront is how much of a text is looked at for the end of its front matter, in bytes.
const maxFront = 64 << 10

// Front separates the front matter of a text, a document between two lines ---, from its body, which begins at body.
// Without front matter, or without an end of it, everything is body.
func Front(text string) (front string, body int, has bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return "", 0, false
	}
	start := len(text) - len(rest)
	at := start
	for line := range strings.Lines(rest[:min(len(rest), maxFront)]) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return text[start:at], at + len(line), true
		}
		at += len(line)
	}
	return "", 0, false
}
