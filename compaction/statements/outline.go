package statements

import (
	"regexp"
	"strings"
	"sync"
)

const (
	// outlineLines is how many lines of an outline are kept.
	outlineLines = 60
	// outlineBytes is how much of a document is read.
	outlineBytes = 200_000
)

// numbered matches the number that a reading tool puts in front of a line.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\d+(?:→|\t| \| )`) })

// Outline returns the headings and tasks of a Markdown document, also as a reading tool prints it.
func Outline(text string) []string {
	var out []string
	for l := range strings.Lines(text[:min(len(text), outlineBytes)]) {
		l = strings.TrimSpace(numbered().ReplaceAllString(l, ""))
		task := strings.HasPrefix(l, "- [") || strings.HasPrefix(l, "* [")
		if len(out) < outlineLines && (task || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "**")) {
			out = append(out, l)
		}
	}
	return out
}
