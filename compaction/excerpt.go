package compaction

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/statements"
	"ctxledger.dev/internal/chars"
)

// ends returns the first two and the last third of limit characters of a text that had total characters, around a mark
// that says so.
func ends(text string, limit, total int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return chars.Head(text, limit*2/3) + " [TRUNCATED — " + chars.Commas(total) + " chars total] " +
		chars.Tail(text, limit/3)
}

// tailOf returns the last limit characters of a text in one line, from the beginning of a line or a sentence on.
func tailOf(text string, limit int) string {
	text = chars.Strip(text)
	if utf8.RuneCountInString(text) > limit {
		text = chars.Tail(text, limit)
		text = "…" + text[statements.Begin(text, len(text)/2):]
	}
	return strings.Join(strings.Fields(text), " ")
}

// newestLines returns the last lines that have at most limit bytes together.
func newestLines(lines []string, limit int) []string {
	for i, l := range slices.Backward(lines) {
		if limit -= len(l) + 1; limit < 0 {
			return lines[i+1:]
		}
	}
	return lines
}

// isData reports whether a result is a long JSON text, whose beginning says little to a reader.
func isData(text string) bool {
	const long = 400 // bytes
	text = strings.TrimSpace(text)
	return len(text) > long && (text[0] == '{' || text[0] == '[' && strings.HasSuffix(text, "]"))
}

// beginning returns the first lines of a text that are not empty, in one line of at most limit characters.
func beginning(text string, lines, limit int) string {
	const looked = 8_000 // bytes
	var kept []string
	for l := range strings.Lines(text[:min(len(text), looked)]) {
		if l = strings.TrimSpace(l); l != "" && len(kept) < lines {
			kept = append(kept, l)
		}
	}
	return layout.OneLine(strings.Join(kept, " / "), limit)
}

// withoutCode leaves out the fenced blocks of a text: code can be read where it is.
func withoutCode(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		fence := layout.OpensFence(line)
		if !inside && !fence {
			b.WriteString(line)
		}
		if fence {
			inside = !inside
		}
	}
	return strings.TrimSpace(b.String())
}
