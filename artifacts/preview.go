package artifacts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
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
	all := len(lines) <= head+tail
	if all {
		head, tail = len(lines), 0
	}
	width := max(gutterMin, len(strconv.Itoa(len(lines))))
	rows := make([]previewRow, 0, head+tail)
	for i, line := range lines {
		if i < head || i >= len(lines)-tail {
			rows = append(rows, newPreviewRow(fmt.Sprintf("%*d  ", width, i+1), line))
		}
	}
	show := func(limit int) string {
		if all {
			return joinRows(rows, limit)
		}
		between := fmt.Sprintf("\n... [%s lines truncated] ...\n", chars.Commas(int64(len(lines)-head-tail)))
		return joinRows(rows[:head], limit) + between + joinRows(rows[head:], limit)
	}
	p := show(previewLine)
	for limit := previewLine; utf8.RuneCountInString(p) > previewMax && limit > previewMin; {
		limit -= 10
		p = show(limit)
	}
	return p
}

// previewRow is one line of a preview. Of a line that is too long it keeps as much of both ends as
// may be shown, so that trying several widths does not go through a line of megabytes again.
type previewRow struct {
	gutter     string
	chars      int // of the line
	head, tail string
}

func newPreviewRow(gutter, line string) previewRow {
	line = strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
	r := previewRow{gutter: gutter, chars: utf8.RuneCountInString(line), head: line}
	if r.chars > previewLine {
		r.head, r.tail = prefix(line, previewLine), suffix(line, previewLine)
	}
	return r
}

// show returns the row with its line cut to limit characters.
func (r previewRow) show(limit int) string {
	if r.chars <= limit {
		return r.gutter + r.head
	}
	last := r.tail
	if last == "" {
		last = r.head
	}
	first := prefix(r.head, limit*7/10)
	last = suffix(last, limit-limit*7/10)
	missing := r.chars - utf8.RuneCountInString(first) - utf8.RuneCountInString(last)
	return r.gutter + first + cutMark(missing) + last
}

// joinRows returns rows as lines.
func joinRows(rows []previewRow, limit int) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.show(limit)
	}
	return strings.Join(lines, "\n")
}
