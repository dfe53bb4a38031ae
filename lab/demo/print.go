package main

import (
	"fmt"
	"strings"
)

// margin is where the text of a step begins.
const margin = 13

// step begins a numbered step and says what it does.
func (d *demo) step(name, format string, args ...any) {
	d.steps++
	fmt.Fprintf(d.out, "\n%d  %-*s%s\n", d.steps, margin-3, name, fmt.Sprintf(format, args...))
}

// line prints one more line of a step.
func (d *demo) line(format string, args ...any) {
	fmt.Fprintf(d.out, "%*s%s\n", margin, "", fmt.Sprintf(format, args...))
}

// width is how many columns somebody else's text takes.
const width = 80

// quoted prints lines of somebody else's text, cut to the width of the page, and returns how many.
func (d *demo) quoted(text string, lines int) (shown int) {
	for l := range strings.SplitSeq(text, "\n") {
		if shown == lines {
			break
		}
		if l = strings.TrimRight(strings.ReplaceAll(l, "\t", "  "), " "); l == "" {
			continue
		}
		if runes := []rune(l); len(runes) > width {
			l = string(runes[:width-1]) + "…"
		}
		d.line("  │ %s", l)
		shown++
	}
	return shown
}

// folded breaks a long line into as many as rows, at spaces; what is left stays in the last one.
func folded(line string, rows int) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var out []string
	for rest := []rune(line); len(rest) > 0; {
		cut := len(rest)
		if cut > width && len(out) < rows-1 {
			cut = width
			for cut > width/2 && rest[cut] != ' ' {
				cut--
			}
		}
		out = append(out, string(rest[:cut]))
		rest = rest[cut:]
		if len(rest) > 0 {
			rest = []rune(indent + "  " + strings.TrimLeft(string(rest), " "))
		}
	}
	return strings.Join(out, "\n")
}

// size prints bytes in the unit that fits.
func size(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// share prints how much less b is than a.
func share(a, b int) string {
	return fmt.Sprintf("%.0f%% less", 100*(1-float64(b)/float64(max(a, 1))))
}
