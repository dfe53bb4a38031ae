package pages

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
)

const (
	// treeBar is how many cells the bar of a place has.
	treeBar = 10
	// wideTree is how many columns a terminal must have for bars and for the numbers of files.
	wideTree = 72
	// leastLabel is how many columns the name of a place has at least.
	leastLabel = 12
)

// treePrinter prints the places of a tree as a table that fits the terminal.
type treePrinter struct {
	*columns.Table
	total  int // tokens
	bars   bool
	files  bool
	dirs   lipgloss.Style // of directories
	more   lipgloss.Style // of what is not shown
	labels []label        // the last cell of each row
}

// label names a place.
type label struct {
	indent, name string
	style        lipgloss.Style
}

// Tree draws the tree of what was counted: what is dear comes first, and what is not shown is summed up.
func (p Page) Tree(b *Tree) {
	t := treePrinter{total: b.count.N, bars: p.Width >= wideTree, files: p.Width == 0 || p.Width >= wideTree,
		dirs: lipgloss.NewStyle().Bold(p.Colours), more: lipgloss.NewStyle().Faint(p.Colours)}
	head := []string{">TOKENS", ">SHARE"}
	if t.bars {
		head = append(head, "")
	}
	if t.files {
		head = append(head, ">FILES")
	}
	t.Table = p.table(append(head, "PLACE")...)
	t.branch(b, 0)
	t.label(p.Width)
	t.Table.Print(p.W)
}

// branch adds the rows of a branch and of what is shown in it.
func (p *treePrinter) branch(b *Tree, depth int) {
	l := label{indent: strings.Repeat("  ", depth), name: columns.OneLine(b.name)}
	switch {
	case b.path == "":
		l.name = "total"
	case !b.file():
		l.style = p.dirs
	}
	p.row(b, l)
	for _, c := range b.children[:b.shown] {
		p.branch(c, depth+1)
	}
	if n, rest := b.rest(); n > 0 && b.shown > 0 {
		p.row(&rest, label{l.indent + "  ", "… " + chars.Commas(n) + " more", p.more})
	}
}

// row adds one row.
func (p *treePrinter) row(b *Tree, l label) {
	share := float64(b.count.N) / float64(max(p.total, 1))
	cells := []string{b.count.String(), fmt.Sprintf("%.1f %%", share*100)}
	if p.bars {
		cells = append(cells, columns.FineBar(share, treeBar))
	}
	if p.files && b.file() {
		cells = append(cells, "")
	} else if p.files {
		cells = append(cells, chars.Commas(b.files))
	}
	p.AddSafe(append(cells, "")...)
	p.labels = append(p.labels, l)
}

// label fills the last column with what fits of the names.
func (p *treePrinter) label(width int) {
	left := p.Left(width)
	for i, l := range p.labels {
		name := l.name
		if width > 0 {
			name = columns.Ending(name, max(left-len(l.indent), leastLabel))
		}
		p.SetLast(i, l.indent+l.style.Render(name))
	}
}
