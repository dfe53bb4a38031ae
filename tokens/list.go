package tokens

import (
	"slices"
	"sync/atomic"
)

// list is a sequence of leaves: a tree in which all of them have the same depth. It never changes:
// replacing leaves makes another list, for which the few nodes above them are copied.
type list struct {
	item      // the root; a zero item where there are no leaves
	depth int // of the leaves below the root
}

// item is a part of a list: a leaf, or a node with all that is below it.
type item struct {
	size   int // bytes
	tokens int
	leaf   *leaf // nil: a node
	node   *node
}

// node has at least one item.
type node struct {
	items []item
	shape atomic.Pointer[shape] // of all items; nil: nobody asked for it
}

// How many items a node has at most. After an edit, one that has fewer than minItems goes together
// with its neighbour.
const (
	maxItems = 16
	minItems = maxItems / 4
)

// placed is a leaf with what precedes it: at bytes, before tokens.
type placed struct {
	at, before int
	*leaf
}

// end returns where the leaf ends.
func (l placed) end() int { return l.at + len(l.text) }

// newList returns the list of these leaves.
func newList(leaves []*leaf) list { return grow(appendLeaves(nil, leaves), 0) }

// grow returns the list of items that have their leaves at a depth.
func grow(items []item, depth int) list {
	for len(items) > 1 {
		items = appendNodes(nil, items)
		depth++
	}
	if len(items) == 0 {
		return list{}
	}
	root := items[0]
	for root.node != nil && len(root.node.items) == 1 {
		root = root.node.items[0]
		depth--
	}
	return list{root, depth}
}

func appendLeaves(to []item, leaves []*leaf) []item {
	for _, l := range leaves {
		to = append(to, item{len(l.text), l.tokens, l, nil})
	}
	return to
}

// nodesFor returns how many nodes n items fill.
func nodesFor(n int) int { return (n + maxItems - 1) / maxItems }

// appendNodes appends nodes of about the same length with these items, which must not change any more.
func appendNodes(to, items []item) []item {
	for n := nodesFor(len(items)); n > 0; n-- {
		part := items[: len(items)/n : len(items)/n]
		all := item{node: &node{items: part}}
		for i := range part {
			all.size += part[i].size
			all.tokens += part[i].tokens
		}
		to = append(to, all)
		items = items[len(part):]
	}
	return to
}

// byByte returns the leaf that holds byte i, or the last one for the end of the text. The list must
// not be empty.
func (s *list) byByte(i int) placed {
	return s.after(func(l placed, x *item) bool { return i-l.at >= x.size })
}

// byToken returns the leaf that holds token n, as byByte does.
func (s *list) byToken(n int) placed {
	return s.after(func(l placed, x *item) bool { return n-l.before >= x.tokens })
}

// after returns the first leaf that is not passed, or the last one. passed is told what precedes an item.
func (s *list) after(passed func(l placed, x *item) bool) (l placed) {
	at := &s.item
	for at.node != nil {
		items := at.node.items
		for len(items) > 1 && passed(l, &items[0]) {
			l.at += items[0].size
			l.before += items[0].tokens
			items = items[1:]
		}
		at = &items[0]
	}
	l.leaf = at.leaf
	return l
}

// replace returns the list with other leaves in the place of those from byte from to before byte to.
func (s *list) replace(from, to int, with []*leaf) list {
	return grow(replaceItems([]item{s.item}, s.depth, from, to, with), s.depth)
}

// replaceItems returns items that have their leaves at a depth, with leaves replaced.
func replaceItems(items []item, depth, from, to int, with []*leaf) []item {
	first, start := find(items, from)
	last, end := find(items, to-1)
	if depth == 0 {
		edited := make([]item, 0, len(items)-(last+1-first)+len(with))
		edited = appendLeaves(append(edited, items[:first]...), with)
		return append(edited, items[last+1:]...)
	}
	below := items[first].node.items
	if first != last {
		below = slices.Concat(below, items[last].node.items)
		to -= end - (start + items[first].size) // what is between vanishes
	}
	below = replaceItems(below, depth-1, from-start, to-start, with)
	if len(below) < minItems && last+1 < len(items) {
		last++
		below = slices.Concat(below, items[last].node.items)
	}
	edited := make([]item, 0, len(items)-(last+1-first)+nodesFor(len(below)))
	edited = appendNodes(append(edited, items[:first]...), below)
	return append(edited, items[last+1:]...)
}

// find returns the number of the item that holds byte i, and where the item starts.
func find(items []item, i int) (k, at int) {
	for i-at >= items[k].size {
		at += items[k].size
		k++
	}
	return k, at
}
