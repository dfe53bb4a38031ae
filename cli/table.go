package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
)

// cellWidth bounds a cell that is not the last of its row, in columns.
const cellWidth = 80

// maxCell bounds the last cell of a wide table, in columns.
const maxCell = 300

// table is rows of cells that are printed in aligned columns, whatever script they are in.
type table struct {
	head   []string
	right  []bool // columns that align to the right
	rows   [][]string
	line   func(s string, n int) string // makes text fit, with secrets masked
	indent string
	wide   bool           // whether the last cell of a row is not cut at cellWidth
	style  lipgloss.Style // of the head
}

// newTable starts a table. A heading that starts with ">" aligns its column to the right.
func (a *app) newTable(head ...string) *table {
	t := &table{line: a.line, right: make([]bool, len(head)), style: lipgloss.NewStyle().Faint(a.colours())}
	for i, h := range head {
		h, t.right[i] = strings.CutPrefix(h, ">")
		t.head = append(t.head, h)
	}
	return t
}

// add appends a row, a cell for each heading. Cells are made safe and put on one line.
func (t *table) add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		width := cellWidth
		if t.wide && i == len(cells)-1 {
			width = maxCell
		}
		row[i] = t.line(c, width)
	}
	t.rows = append(t.rows, row)
}

// addSafe appends a row of cells that are safe already and are not to be cut.
func (t *table) addSafe(cells ...string) { t.rows = append(t.rows, cells) }

// widths returns the width of each column.
func (t *table) widths() []int {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], lipgloss.Width(c))
		}
	}
	return width
}

// print writes the table with its headings.
func (t *table) print(w io.Writer) {
	width := t.widths()
	fmt.Fprintln(w, t.style.Render(t.row(t.head, width)))
	for _, row := range t.rows {
		fmt.Fprintln(w, t.row(row, width))
	}
}

func (t *table) row(cells []string, width []int) string {
	var b strings.Builder
	b.WriteString(t.indent)
	for i, c := range cells {
		pad := strings.Repeat(" ", width[i]-lipgloss.Width(c))
		if t.right[i] {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
		b.WriteString("  ")
	}
	return strings.TrimRight(b.String(), " ")
}
