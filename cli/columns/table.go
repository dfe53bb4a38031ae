// Package columns prints tables whose columns align in every script, and fits texts into columns of a terminal.
//
// Start at New. Widths are those of a terminal: a Chinese character takes two columns, a combining mark none.
package columns

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// CellWidth bounds a cell that is not the last of its row, in columns.
const CellWidth = 80

// maxCell bounds the last cell of a wide table, in columns.
const maxCell = 300

// Table is rows of cells that are printed in aligned columns, whatever script they are in.
type Table struct {
	Indent string // in front of each line
	Wide   bool   // whether the last cell of a row is not cut at CellWidth

	head  []string
	right []bool // columns that align to the right
	rows  [][]string
	line  func(s string, n int) string // makes text fit, with secrets masked
	style Style                        // of the head
}

// New starts a table. A heading that starts with ">" aligns its column to the right. line makes the text of a cell fit
// into so many columns, and safe; faint prints the headings so.
func New(line func(s string, n int) string, faint bool, head ...string) *Table {
	t := &Table{line: line, right: make([]bool, len(head)), style: Faint.If(faint)}
	for i, h := range head {
		h, t.right[i] = strings.CutPrefix(h, ">")
		t.head = append(t.head, h)
	}
	return t
}

// Add appends a row, a cell for each heading. Cells are made safe and put on one line.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		width := CellWidth
		if t.Wide && i == len(cells)-1 {
			width = maxCell
		}
		row[i] = t.line(c, width)
	}
	t.rows = append(t.rows, row)
}

// AddSafe appends a row of cells that are safe already and are not to be cut.
func (t *Table) AddSafe(cells ...string) { t.rows = append(t.rows, cells) }

// widths returns the width of each column.
func (t *Table) widths() []int {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], Width(c))
		}
	}
	return width
}

// Left returns how many of width columns the cells before the last leave to it.
func (t *Table) Left(width int) int {
	for _, w := range t.widths()[:len(t.head)-1] {
		width -= w + 2
	}
	return width
}

// SetLast replaces the last cell of a row, from 0.
func (t *Table) SetLast(row int, cell string) { t.rows[row][len(t.head)-1] = cell }

// Fit makes the table fit into width columns of a terminal, 0 for any number: it leaves out the columns with these headings,
// one after the other, until at least so many columns are left to the last cells, and cuts those.
func (t *Table) Fit(width, least int, order ...string) {
	if width == 0 {
		return
	}
	for ; t.Left(width) < least && len(order) > 0; order = order[1:] {
		if i := slices.Index(t.head, order[0]); i >= 0 {
			t.head, t.right = slices.Delete(t.head, i, i+1), slices.Delete(t.right, i, i+1)
			for k, row := range t.rows {
				t.rows[k] = slices.Delete(row, i, i+1)
			}
		}
	}
	left := max(t.Left(width), least)
	for i, row := range t.rows {
		t.SetLast(i, Cut(row[len(row)-1], left))
	}
}

// CutLast makes the last heading fit into n columns.
func (t *Table) CutLast(n int) { t.head[len(t.head)-1] = Cut(t.head[len(t.head)-1], n) }

// Print writes the table with its headings.
func (t *Table) Print(w io.Writer) {
	width := t.widths()
	fmt.Fprintln(w, t.style.Of(t.row(t.head, width)))
	for _, row := range t.rows {
		fmt.Fprintln(w, t.row(row, width))
	}
}

func (t *Table) row(cells []string, width []int) string {
	var b strings.Builder
	b.WriteString(t.Indent)
	for i, c := range cells {
		pad := strings.Repeat(" ", width[i]-Width(c))
		if t.right[i] {
			b.WriteString(pad + c)
		} else {
			b.WriteString(c + pad)
		}
		b.WriteString("  ")
	}
	return strings.TrimRight(b.String(), " ")
}
