package records

import (
	"strings"
)

// minFence is how many backticks a fence has at least.
const minFence = 3

// fence stands stored text into a Markdown document, as what it is: nothing in it can end the fence.
func fence(text, language string) string {
	mark := strings.Repeat("`", max(longestRun(text, '`')+1, minFence))
	return mark + language + "\n" + strings.TrimRight(text, "\n") + "\n" + mark + "\n"
}

// unfenced returns the line that ends the fence in which a document was cut; "" where it was cut in none.
func unfenced(text string) string {
	open := ""
	for line := range strings.Lines(text) {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == "" && len(ticks) >= minFence:
			open = ticks
		case open != "" && len(ticks) >= len(open) && strings.TrimSpace(line) == ticks:
			open = ""
		}
	}
	if open == "" {
		return ""
	}
	return open + "\n"
}

// code stands stored text into a line of a Markdown document.
func code(text string) string {
	if text == "" {
		return ""
	}
	mark := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return mark + text + mark
}

// longestRun returns how often a character stands in a row in a text, at most.
func longestRun(text string, c byte) (longest int) {
	run := 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// literal is one line of stored text in a heading of a Markdown document: nothing in it is a mark, and no bare address
// becomes a link.
func literal(line string) string {
	const marks = "\\`*_{}[]<>#|~&!$@"
	var b strings.Builder
	for i := range len(line) {
		address := i > 0 && line[i] == '/' && line[i-1] == '/' || line[i] == '.' && strings.HasSuffix(strings.ToLower(line[:i]), "www")
		if address || strings.IndexByte(marks, line[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(line[i])
	}
	return b.String()
}

// listed begins a line of a list.
const listed = "- "

// item is a line of a list, "" where nothing is said.
func item(said string) string {
	if said == "" {
		return ""
	}
	return listed + said + "\n"
}
