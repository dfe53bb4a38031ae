package graph

import (
	"strings"

	"ctxledger.dev/internal/words"
)

// near returns the name of a list that is probably meant: at most a third of the longer one's letters differ, of few letters two, and
// never more than half. "" is none.
func near(name string, all []string) (best string) {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	least := len(name)/2 + 1
	for _, n := range all {
		most := min(max(2, max(len(name), len(n))/3), least-1)
		if len(n) > len(name)+most || len(n) < len(name)-most {
			continue
		}
		if d := words.Distance(strings.ToLower(name), strings.ToLower(n)); d <= most {
			least, best = d, n
		}
	}
	return best
}

// nearest returns the path that is probably meant by one that leads nowhere: each name that is not found is corrected, the first to
// one of all, further ones to those of the children. "" is none.
func (d *Document) nearest(path string, all []string) string {
	names := strings.Split(path, "/")
	var in *Block
	for i, name := range names {
		m := d.find(name, in)
		if m.Block == nil {
			if in != nil {
				all = d.blockNames(in)
			}
			if names[i] = near(name, all); names[i] == "" {
				return ""
			}
			m = d.find(names[i], in)
		}
		if in = m.Block; in == nil && i+1 < len(names) { // an operation inserts it: what is below it is not known
			return ""
		}
	}
	return strings.Join(names, "/")
}

// blockNames returns the names of the blocks that can be referred to: of the children of a block, or, where that is nil, of all.
func (d *Document) blockNames(in *Block) (names []string) {
	for _, b := range d.Blocks[1:] {
		if !b.System && (in == nil || b.Parent == in) {
			names = append(names, b.Name())
		}
	}
	return names
}
