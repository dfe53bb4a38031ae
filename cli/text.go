package cli

import (
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"ctxledger.dev/internal/chars"
)

// oneLine is chars.Plain for text that must stay on one line, such as a path: line breaks and tabs become escapes.
func oneLine(s string) string {
	s = chars.Plain(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(s)
}

// line makes stored text fit into one line of at most n columns. It masks secrets before it cuts: half a secret
// could not be recognised.
func (a *app) line(s string, n int) string { return cut(a.masks.String(s), n) }

// cut makes a text fit into one line of at most n columns.
func cut(s string, n int) string {
	s = chars.Line(s)
	if lipgloss.Width(s) <= n {
		return s
	}
	var b strings.Builder
	width := 0
	for _, r := range s {
		w := lipgloss.Width(string(r))
		if width+w > n-1 {
			break
		}
		b.WriteRune(r)
		width += w
	}
	return b.String() + "…"
}

// ending returns as much of the end of a safe text as fits into n columns.
func ending(s string, n int) string {
	if lipgloss.Width(s) <= n {
		return s
	}
	for lipgloss.Width(s) > n-1 {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return "…" + s
}

// bars draws a share of something, from 0 to 1, in cells.
func bars(share float64, cells int) (full, empty string) {
	n := int(min(max(share, 0), 1)*float64(cells) + 0.5)
	return strings.Repeat("█", n), strings.Repeat("░", cells-n)
}

// fineBar draws a share of something, from 0 to 1, in at most so many cells, to an eighth of a cell.
func fineBar(share float64, cells int) string {
	const part = 8
	n := int(min(max(share, 0), 1)*float64(cells)*part + 0.5)
	bar := strings.Repeat("█", n/part)
	if n%part > 0 {
		bar += string(rune('█' + part - n%part)) // the left parts follow the full block, the largest first
	}
	return bar
}

// stamp prints a time in the reader's zone.
func (a *app) stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.Env.Now().Location()).Format("2006-01-02 15:04")
}
