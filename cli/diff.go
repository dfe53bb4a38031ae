package cli

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/agents/install"
)

const (
	around   = 3   // unchanged lines that are shown next to a change
	maxShown = 200 // columns of a line
	// maxCells bounds the table in which lines are compared. Beyond it all lines between the first and the last change
	// are shown as changed.
	maxCells = 4 << 20
)

// diffOf returns a change as a unified diff. line makes a line safe and short, and leaves its white space.
func diffOf(c install.Change, line func(s string, n int) string) string {
	from, to := line(c.Path, maxShown), line(c.Path, maxShown)
	if c.New {
		from = "/dev/null"
	}
	if c.Gone {
		to = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	for _, h := range hunks(compare(split(c.Before), split(c.After))) {
		h.print(&b, line)
	}
	return b.String()
}

// split returns the lines of a text, with their ends.
func split(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// aLine is a line of a diff.
type aLine struct {
	kind byte // ' ', '-' or '+'
	text string
}

// compare returns the lines of two texts, the common ones once.
func compare(a, b []string) (out []aLine) {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add := func(kind byte, lines []string) {
		for _, l := range lines {
			out = append(out, aLine{kind, l})
		}
	}
	add(' ', a[:head])
	out = append(out, between(a[head:len(a)-tail], b[head:len(b)-tail])...)
	add(' ', a[len(a)-tail:])
	return out
}

// between compares lines by their longest common subsequence.
func between(a, b []string) (out []aLine) {
	rows, columns := len(a)+1, len(b)+1
	if rows*columns > maxCells {
		for _, l := range a {
			out = append(out, aLine{'-', l})
		}
		for _, l := range b {
			out = append(out, aLine{'+', l})
		}
		return out
	}
	common := make([]int32, rows*columns) // of what is behind two positions
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*columns+j] = common[(i+1)*columns+j+1] + 1
			} else {
				common[i*columns+j] = max(common[(i+1)*columns+j], common[i*columns+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, aLine{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[(i+1)*columns+j] >= common[i*columns+j+1]:
			out = append(out, aLine{'-', a[i]})
			i++
		default:
			out = append(out, aLine{'+', b[j]})
			j++
		}
	}
	return out
}

// hunk is a run of lines around changes.
type hunk struct {
	from, to int // lines of the two texts before it
	lines    []aLine
}

// hunks returns the runs of lines that are near a change.
func hunks(all []aLine) (out []hunk) {
	shown := make([]bool, len(all))
	for i, l := range all {
		if l.kind != ' ' {
			for k := max(i-around, 0); k <= min(i+around, len(all)-1); k++ {
				shown[k] = true
			}
		}
	}
	from, to, open := 0, 0, false
	for i, l := range all {
		if shown[i] {
			if !open {
				out = append(out, hunk{from: from, to: to})
			}
			h := &out[len(out)-1]
			h.lines = append(h.lines, l)
		}
		open = shown[i]
		if l.kind != '+' {
			from++
		}
		if l.kind != '-' {
			to++
		}
	}
	return out
}

func (h hunk) print(b *strings.Builder, line func(s string, n int) string) {
	old, fresh := 0, 0
	for _, l := range h.lines {
		if l.kind != '+' {
			old++
		}
		if l.kind != '-' {
			fresh++
		}
	}
	start := func(before, n int) int {
		if n == 0 {
			return before
		}
		return before + 1
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", start(h.from, old), old, start(h.to, fresh), fresh)
	for i, l := range h.lines {
		text := l.text
		if i > 0 && l.kind == '+' && h.lines[i-1].kind == '-' {
			text = apart(h.lines[i-1].text, text)
		}
		if i+1 < len(h.lines) && l.kind == '-' && h.lines[i+1].kind == '+' {
			text = apart(h.lines[i+1].text, text)
		}
		fmt.Fprintf(b, "%c%s\n", l.kind, line(strings.TrimRight(text, "\r\n"), maxShown))
		if !strings.HasSuffix(l.text, "\n") {
			fmt.Fprintln(b, `\ No newline at end of file`)
		}
	}
}

// apart cuts off most of what a long line has in common with the other one, where a change cannot be seen otherwise.
func apart(other, text string) string {
	if len(text) <= maxShown {
		return text
	}
	const near = 40 // bytes that stay
	n := 0
	for n < min(len(other), len(text)) && other[n] == text[n] {
		n++
	}
	if n <= 2*near {
		return text
	}
	return "…" + strings.ToValidUTF8(text[n-near:], "")
}
