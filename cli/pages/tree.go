package pages

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

const (
	// maxPlaces is how many places a tree shows, about what fits on a screen.
	maxPlaces = 24
	// maxDepth is how deep below the root they may be.
	maxDepth = 4
	// separator separates the steps of a path.
	separator = string(filepath.Separator)
)

// Tree is a directory or a file in the tree of what was counted.
type Tree struct {
	name     string // from the branch that it grows from: one step or several, "" for the root of several
	path     string // whole, as the user sees it
	count    tokens.Count
	bytes    int64
	files    int
	children []*Tree // dearest first; none for a file
	shown    int     // so many of the children are shown, the most expensive
}

// Grow makes the tree of the texts that were counted and decides what of it is shown.
func Grow(texts []*filecount.Text, none tokens.Count) *Tree {
	root := &Tree{count: none}
	known := map[string]*Tree{"": root}
	for _, x := range texts {
		if x.Err != nil {
			continue
		}
		root.add(x)
		name := filepath.Clean(x.Name)
		b := root
		for end := 0; end < len(name); {
			end = stepEnd(name, end)
			next := known[name[:end]]
			if next == nil {
				next = &Tree{name: name[len(b.path):end], path: name[:end], count: none}
				known[next.path] = next
				b.children = append(b.children, next)
			}
			next.add(x)
			b = next
		}
	}
	root.join()
	root.choose()
	return root
}

// stepEnd returns the end of the step of a path that starts at start: after its separator, if it has one.
func stepEnd(name string, start int) int {
	if i := strings.IndexRune(name[start:], filepath.Separator); i >= 0 {
		return start + i + len(separator)
	}
	return len(name)
}

// add counts a text to a branch.
func (b *Tree) add(x *filecount.Text) {
	b.count.N += x.Count.N
	b.count.Upper += x.Count.Upper
	b.bytes += x.Read.Bytes
	b.files++
}

// file reports whether the branch is a file.
func (b *Tree) file() bool { return b.path != "" && len(b.children) == 0 }

// join makes one branch of a directory and the only thing in it, and sorts what grows from the others.
func (b *Tree) join() {
	for len(b.children) == 1 {
		only := b.children[0]
		b.name, b.path, b.children = b.name+only.name, only.path, only.children
	}
	for _, c := range b.children {
		c.join()
	}
	slices.SortFunc(b.children, dearer)
}

// dearer orders branches by what they cost, the most expensive first.
func dearer(x, y *Tree) int {
	return cmp.Or(cmp.Compare(y.count.N, x.count.N), cmp.Compare(x.path, y.path))
}

// choose marks the most expensive places of the tree as shown. No place is dearer than its directory, so the chosen ones
// are a tree too. If only one child would be hidden, it is shown as well: it takes one row, as the sum would.
func (b *Tree) choose() {
	type chosen struct {
		*Tree
		depth int
	}
	all := []chosen{{b, 0}}
	for range maxPlaces {
		var best *chosen
		for i := range all {
			c := &all[i]
			if c.depth == maxDepth || c.shown == len(c.children) {
				continue
			}
			if best == nil || dearer(c.children[c.shown], best.children[best.shown]) < 0 {
				best = c
			}
		}
		if best == nil {
			break
		}
		best.shown++
		all = append(all, chosen{best.children[best.shown-1], best.depth + 1})
	}
	for _, c := range all {
		if c.shown > 0 && c.shown == len(c.children)-1 {
			c.shown++
		}
	}
}

// rest sums up the children that are not shown.
func (b *Tree) rest() (n int, sum Tree) {
	hidden := b.children[b.shown:]
	for _, c := range hidden {
		sum.count.N += c.count.N
		sum.bytes += c.bytes
		sum.files += c.files
	}
	sum.count.Exact = b.count.Exact
	return len(hidden), sum
}

// Place is what is shown of a branch, as JSON.
type Place struct {
	Path   string `json:"path"` // that of a directory ends with a separator
	Tokens int    `json:"tokens"`
	Bytes  int64  `json:"bytes"`
	Files  int    `json:"files"`
}

// Places returns the places that are shown, the most expensive first.
func (b *Tree) Places() []Place {
	var all []*Tree
	var collect func(*Tree)
	collect = func(b *Tree) {
		if b.path != "" {
			all = append(all, b)
		}
		for _, c := range b.children[:b.shown] {
			collect(c)
		}
	}
	collect(b)
	slices.SortStableFunc(all, dearer)
	places := make([]Place, len(all))
	for i, b := range all {
		places[i] = Place{b.path, b.count.N, b.bytes, b.files}
	}
	return places
}

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
	dirs   columns.Style // of directories
	more   columns.Style // of what is not shown
	labels []label       // the last cell of each row
}

// label names a place.
type label struct {
	indent, name string
	style        columns.Style
}

// Tree draws the tree of what was counted: what is dear comes first, and what is not shown is summed up.
func (p Page) Tree(b *Tree) {
	t := treePrinter{total: b.count.N, bars: p.Width >= wideTree, files: p.Width == 0 || p.Width >= wideTree,
		dirs: columns.Bold.If(p.Colours), more: columns.Faint.If(p.Colours)}
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
	cells := []string{b.count.String(), fmt.Sprintf("%.1f%%", share*100)}
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
		p.SetLast(i, l.indent+l.style.Of(name))
	}
}
