package columns

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
)

// Cut makes a text fit into one line of at most n columns.
func Cut(s string, n int) string { return cut(chars.Line(s), n) }

// cut is Cut for a safe line.
func cut(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	return s[:fitting(s, n-1)] + "…"
}

// fitting returns how many bytes at the beginning of a safe line fit into n columns.
func fitting(s string, n int) int {
	width := 0
	for i, r := range s {
		if width += Width(string(r)); width > n {
			return i
		}
	}
	return len(s)
}

// Pieces cuts a safe line into pieces of at most n columns; of one character at least.
func Pieces(s string, n int) (out []string) {
	for {
		at := fitting(s, n)
		if at == 0 {
			_, at = utf8.DecodeRuneInString(s)
		}
		if out = append(out, s[:at]); at == len(s) {
			return out
		}
		s = s[at:]
	}
}

// Ending returns as much of the end of a safe text as fits into n columns.
func Ending(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	for Width(s) > n-1 {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return "…" + s
}

// Bars draws a share of something, from 0 to 1, in cells.
func Bars(share float64, cells int) (full, empty string) {
	n := int(min(max(share, 0), 1)*float64(cells) + 0.5)
	return strings.Repeat("█", n), strings.Repeat("░", cells-n)
}

// FineBar draws a share of something, from 0 to 1, in at most so many cells, to an eighth of a cell.
func FineBar(share float64, cells int) string {
	const part = 8
	n := int(min(max(share, 0), 1)*float64(cells)*part + 0.5)
	bar := strings.Repeat("█", n/part)
	if n%part > 0 {
		bar += string(rune('█' + part - n%part)) // the left parts follow the full block, the largest first
	}
	return bar
}

// OneLine is chars.Plain for text that must stay on one line, such as a path: line breaks and tabs become escapes.
func OneLine(s string) string {
	s = chars.Plain(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(s)
}

// Fold breaks a line that is wider than a terminal between words: not at a hyphen, and not between a figure and what it counts. What
// follows goes below the text behind a label of so many columns, which are one byte each.
func Fold(line string, width, label int) string {
	if Width(line) <= width || len(line) <= label {
		return line
	}
	var out strings.Builder
	out.WriteString(line[:label])
	used := label
	for i, word := range unbroken(line[label:]) {
		n := Width(word)
		switch {
		case i > 0 && used+1+n > width:
			out.WriteString("\n" + strings.Repeat(" ", label))
			used = label
		case i > 0:
			out.WriteByte(' ')
			used++
		}
		out.WriteString(word)
		used += n
	}
	return out.String()
}

// unbroken returns the words of a text, each figure together with the word behind it.
func unbroken(text string) (words []string) {
	figure := false
	for word := range strings.SplitSeq(text, " ") {
		if figure {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
		}
		last, _ := utf8.DecodeLastRuneInString(word)
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "≈~$"))
		figure = unicode.IsDigit(first) && unicode.IsDigit(last)
	}
	return words
}
