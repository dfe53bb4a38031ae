package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/agents/install"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
)

const (
	around   = 3   // unchanged lines that are shown next to a change
	maxShown = 400 // columns of a line; a longer one goes on in the next line
	// maxCells bounds the table in which lines are compared. Beyond it all lines between the first and the last change
	// are shown as changed.
	maxCells = 4 << 20
)

// diffOf returns a change as a unified diff, with secrets masked by mask. It has the white space of the texts.
func diffOf(c install.Change, mask func(string) string) string {
	from, to := columns.OneLine(mask(c.Path)), columns.OneLine(mask(c.Path))
	if c.New {
		from = "/dev/null"
	}
	if c.Gone {
		to = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	before, after := c.Before, c.After
	if x, y := onLines(before), onLines(after); len(split(before)) == 1 && x != nil && y != nil {
		fmt.Fprintln(&b, "(the file is one line; this shows its values on lines of their own)")
		before, after = x, y
	}
	for _, h := range hunks(compare(split(before), split(after))) {
		h.print(&b, mask)
	}
	return b.String()
}

// onLines returns a JSON text with each value on a line of its own; nil: it is none.
func onLines(text []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return nil
	}
	return b.Bytes()
}

// split returns the lines of a text, with their ends.
func split(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// aLine is a line of a diff.
type aLine struct {
	kind byte // ' ', '-' or '+'
	text string
}

// compare returns the lines of two texts, the common ones once: those at both ends, and between them the longest common
// subsequence.
func compare(a, b []string) (out []aLine) {
	add := func(kind byte, lines ...string) {
		for _, l := range lines {
			out = append(out, aLine{kind, l})
		}
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	add(' ', a[:head]...)
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ends := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if (len(a)+1)*(len(b)+1) > maxCells {
		add('-', a...)
		add('+', b...)
		a, b = nil, nil
	}
	columns := len(b) + 1
	common := make([]int32, (len(a)+1)*columns) // of what is behind two positions
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*columns+j] = common[(i+1)*columns+j+1] + 1
			} else {
				common[i*columns+j] = max(common[(i+1)*columns+j], common[i*columns+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add(' ', a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[(i+1)*columns+j] >= common[i*columns+j+1]:
			add('-', a[i])
			i++
		default:
			add('+', b[j])
			j++
		}
	}
	add(' ', ends...)
	return out
}

// hunk is a run of lines around changes.
type hunk struct {
	from, to   int // lines of the two texts before it
	old, fresh int // and in it
	lines      []aLine
}

// hunks returns the runs of lines that are near a change.
func hunks(all []aLine) (out []hunk) {
	shown := make([]bool, len(all))
	for i, l := range all {
		for k := max(i-around, 0); l.kind != ' ' && k <= min(i+around, len(all)-1); k++ {
			shown[k] = true
		}
	}
	at, open := hunk{}, false
	for i, l := range all {
		if shown[i] && !open {
			out = append(out, hunk{from: at.from, to: at.to})
		}
		before := at
		if l.kind != '+' {
			at.from++
		}
		if l.kind != '-' {
			at.to++
		}
		if open = shown[i]; open {
			h := &out[len(out)-1]
			h.lines = append(h.lines, l)
			h.old, h.fresh = h.old+at.from-before.from, h.fresh+at.to-before.to
		}
	}
	return out
}

func (h hunk) print(b *strings.Builder, mask func(string) string) {
	start := func(before, n int) int { return before + min(n, 1) }
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", start(h.from, h.old), h.old, start(h.to, h.fresh), h.fresh)
	safe := make([]string, len(h.lines))
	for i, l := range h.lines {
		safe[i] = chars.Plain(mask(strings.TrimRight(l.text, "\r\n")))
	}
	for i, l := range h.lines {
		text := safe[i]
		if i > 0 && l.kind == '+' && h.lines[i-1].kind == '-' {
			text = apart(safe[i-1], text)
		}
		if i+1 < len(h.lines) && l.kind == '-' && h.lines[i+1].kind == '+' {
			text = apart(safe[i+1], text)
		}
		for _, piece := range columns.Pieces(text, maxShown) {
			fmt.Fprintf(b, "%c%s\n", l.kind, piece)
		}
		if !strings.HasSuffix(l.text, "\n") {
			fmt.Fprintln(b, `\ No newline at end of file`)
		}
	}
}

// apart cuts off most of what a long line has in common with the other one at both ends: what is left is all that changes.
func apart(other, text string) string {
	if len(text) <= maxShown && len(other) <= maxShown {
		return text
	}
	const near = 40 // bytes that stay
	head, tail := 0, 0
	for head < min(len(other), len(text)) && other[head] == text[head] {
		head++
	}
	for tail < min(len(other), len(text))-head && other[len(other)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	from, to := max(head-near, 0), min(len(text)-tail+near, len(text))
	out := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
