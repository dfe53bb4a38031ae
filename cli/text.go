package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"
)

// plain makes stored text safe to show: control and formatting characters, which could drive a
// terminal or hide text, become visible escapes. Line breaks and tabs stay.
func plain(s string) string {
	if strings.IndexFunc(s, hostile) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hostile(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hostile(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r == '\u200d', r == '\ufe0f', r == '\ufe0e': // emoji joiners and variation selectors are text
		return false
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

// terminalWriter escapes what is hostile on its way to a terminal.
type terminalWriter struct{ w io.Writer }

func (t terminalWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.w, plain(strings.ToValidUTF8(string(p), "\uFFFD"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// raw returns a writer for stored bytes: exact into a file or pipe, made safe on a terminal.
func (a *app) raw() io.Writer {
	if terminal(a.Out) {
		return terminalWriter{a.Out}
	}
	return a.Out
}

// table is rows of cells that are printed in aligned columns.
type table struct {
	head  []string
	right []bool // columns that align to the right
	rows  [][]string
}

// newTable starts a table. A heading that starts with ">" aligns its column to the right.
func newTable(head ...string) *table {
	t := &table{right: make([]bool, len(head))}
	for i, h := range head {
		h, t.right[i] = strings.CutPrefix(h, ">")
		t.head = append(t.head, h)
	}
	return t
}

// add appends a row. Cells are made safe and put on one line.
func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = line(c, 80)
	}
	t.rows = append(t.rows, cells)
}

// print writes the table with its headings.
func (t *table) print(w io.Writer) {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], lipgloss.Width(c))
		}
	}
	head := lipgloss.NewStyle()
	if terminal(w) {
		head = head.Faint(true)
	}
	t.row(w, t.head, width, head)
	for _, row := range t.rows {
		t.row(w, row, width, lipgloss.NewStyle())
	}
}

func (t *table) row(w io.Writer, cells []string, width []int, style lipgloss.Style) {
	var b strings.Builder
	for i, c := range cells {
		pad := strings.Repeat(" ", width[i]-lipgloss.Width(c))
		if t.right[i] {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
		if i < len(cells)-1 {
			b.WriteString("  ")
		}
	}
	fmt.Fprintln(w, style.Render(strings.TrimRight(b.String(), " ")))
}

// commas prints a number with thousands separators.
func commas[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size prints bytes in the unit that fits.
func size(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= 1000 && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// stamp prints a time in the reader's zone.
func (a *app) stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.Env.Now().Location()).Format("2006-01-02 15:04")
}

// plural prints a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return commas(n) + " " + noun + "s"
}
