package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"ctxledger.dev/internal/chars"
)

// plain makes stored text safe to show: control and formatting characters, which could drive a
// terminal or hide text, become visible escapes (those of JSON), and bytes that are not UTF-8
// become U+FFFD. Line breaks and tabs stay.
func plain(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hostile) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s { // an invalid byte reads as U+FFFD
		switch {
		case !hostile(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			const planes, half = 0x10000, 10
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-planes)>>half, 0xdc00+(r-planes)&(1<<half-1))
		}
	}
	return b.String()
}

// oneLine is plain for what must stay on its line as it is, such as a path: breaks and tabs become escapes.
func oneLine(s string) string {
	s = plain(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(s)
}

func hostile(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200d', '\ufe0f', '\ufe0e': // emoji joiners and variation selectors are text
		return false
	case '\u2028', '\u2029': // some programs break lines there
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// line makes stored text fit into one line of at most n columns.
func line(s string, n int) string {
	s = plain(strings.Join(strings.Fields(s), " "))
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

// size prints bytes in the unit that fits.
func size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"KB", "MB", "GB", "TB"}
	f, i := float64(n)/1000, 0
	for f >= 999.95 && i < len(units)-1 { // what would print as 1000.0
		f, i = f/1000, i+1
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
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

// plural prints a count with its noun.
func plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(noun, "day") {
		noun = stem + "ie"
	}
	return chars.Commas(n) + " " + noun + "s"
}
