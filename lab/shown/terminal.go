package shown

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// The picture of a terminal, in pixels and characters.
const (
	terminalColumns = 104
	charWidth       = 8
	lineHeight      = 18
	border          = 20
)

// Terminal draws a transcript as an SVG picture of a terminal: commands begin with "$ ", "…" stands for lines that are left out.
// Lines break at its edge, as in a terminal. The colours are its own, readable on light and dark pages.
func Terminal(transcript string) []byte {
	var text bytes.Buffer
	row := 0
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		class := "out"
		switch {
		case strings.HasPrefix(line, "$ "):
			class = "command"
		case line == "…":
			class = "left"
		}
		for _, part := range wrapped(line) {
			row++
			fmt.Fprintf(&text, "<text class=%q x=\"%d\" y=\"%d\">%s</text>\n", class, border, border+row*lineHeight-5,
				html.EscapeString(part))
		}
	}
	width, height := terminalColumns*charWidth+2*border, row*lineHeight+2*border
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">
<style>
rect { fill: #15191f; stroke: #4a5260 }
text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; fill: #d5dae2 }
.command { fill: #8fd6a4; font-weight: bold }
.left { fill: #8b95a5 }
</style>
<rect x="0.5" y="0.5" width="%d" height="%d" rx="8"/>
%s</svg>
`, width, height, width, height, width-1, height-1, text.String())
	return out.Bytes()
}

// wrapped returns the lines of a terminal that a line takes.
func wrapped(line string) []string {
	var parts []string
	for utf8.RuneCountInString(line) > terminalColumns {
		runes := []rune(line)
		parts, line = append(parts, string(runes[:terminalColumns])), string(runes[terminalColumns:])
	}
	return append(parts, line)
}
