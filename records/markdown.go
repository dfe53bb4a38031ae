package records

import (
	"strings"
)

// minFence is the minimum number of backticks of a fence.
const minFence = 3

// Fence returns stored text as a Markdown code block that its content cannot end.
func Fence(text, language string) string {
	mark := strings.Repeat("`", max(longestRun(text, '`')+1, minFence))
	return mark + language + "\n" + strings.TrimRight(text, "\n") + "\n" + mark + "\n"
}

// The lines around a part of a document that can be folded, with a blank line after each. Their class is that of the
// style in which a preview shows them.
const (
	beginFolded   = `<details class="ctxledger">`
	beginUnfolded = `<details class="ctxledger" open>`
	endFolded     = "</details>"
)

// closed returns the lines that close the code block and the folded part in which a document was cut.
func closed(text string) string {
	open, folded := "", false
	for line := range strings.Lines(text) {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == "" && len(ticks) >= minFence:
			open = ticks
		case open != "" && len(ticks) >= len(open) && strings.TrimSpace(line) == ticks:
			open = ""
		case open == "" && (strings.TrimSpace(line) == beginFolded || strings.TrimSpace(line) == beginUnfolded):
			folded = true
		case open == "" && strings.TrimSpace(line) == endFolded:
			folded = false
		}
	}
	end := ""
	if open != "" {
		end = open + "\n"
	}
	if folded {
		end += "\n" + endFolded + "\n"
	}
	return end
}

// code returns stored text as Markdown inline code.
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

// longestRun returns the length of the longest run of a character.
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

// literal escapes one line of stored text for a Markdown heading: nothing in it is markup, and bare URLs do not become
// links.
func literal(line string) string {
	const marks = "\\`*_{}[]<>#|~&!$@"
	var b strings.Builder
	for i := range len(line) {
		address := i > 0 && line[i] == '/' && line[i-1] == '/' || line[i] == '.' &&
			strings.HasSuffix(strings.ToLower(line[:i]), "www")
		if address || strings.IndexByte(marks, line[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(line[i])
	}
	return b.String()
}

// listed is the marker of a list item.
const listed = "- "

// item returns a list item, "" for an empty text.
func item(said string) string {
	if said == "" {
		return ""
	}
	return listed + said + "\n"
}
