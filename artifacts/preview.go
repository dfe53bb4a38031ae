package artifacts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a preview, in characters.
const (
	previewMax  = 4000 // of the whole preview
	previewLine = 1000 // of one line, before the preview as a whole is too long
	previewMin  = 80   // of one line, however long the preview is
	gutterMin   = 4    // width of the line numbers
)

// preview shows the first head and the last tail lines of a text with their numbers, or all lines
// when there are no more than that. Long lines keep their beginning and end; while the preview is
// too long, they are cut further. At previewMin even the 15 lines of an error fit, so that the
// number of lines need never be reduced.
func preview(text string, head, tail int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	width := max(gutterMin, len(strconv.Itoa(len(lines))))
	var p string
	for limit := previewLine; limit >= previewMin; limit -= 10 {
		p = previewAt(lines, head, tail, width, limit)
		if utf8.RuneCountInString(p) <= previewMax {
			break
		}
	}
	return p
}

// previewAt is the preview with lines cut to limit characters.
func previewAt(lines []string, head, tail, width, limit int) string {
	var b strings.Builder
	show := func(from, to int) {
		for i := from; i < to; i++ {
			if i > from {
				b.WriteByte('\n')
			}
			line := strings.ToValidUTF8(strings.TrimSuffix(lines[i], "\r"), "\uFFFD")
			fmt.Fprintf(&b, "%*d  %s", width, i+1, shorten(line, limit))
		}
	}
	if len(lines) <= head+tail {
		show(0, len(lines))
		return b.String()
	}
	show(0, head)
	fmt.Fprintf(&b, "\n... [%s lines truncated] ...\n", commas(int64(len(lines)-head-tail)))
	show(len(lines)-tail, len(lines))
	return b.String()
}
