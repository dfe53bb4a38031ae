package tokens

import "sort"

// list is a sequence of leaves in groups. It never changes: replacing leaves makes another list,
// for which one group and the list of groups are copied.
type list struct {
	groups []group
	leaves int // in all groups
	size   int // bytes
	tokens int
}

// group is a part of a list. Its leaves are placed from its start on.
type group struct {
	leaves     []placed
	first      int // leaves before it
	at, before int // bytes and tokens before it
}

// placed is a leaf with what lies before it: at bytes and before tokens.
type placed struct {
	at, before int
	*leaf
}

// How many leaves a group has: at most, and after too long a one was cut. A group that has fewer
// than a quarter of that after an edit goes together with the next one.
const (
	maxGroup = 64
	newGroup = maxGroup / 2
)

// newList returns the list of these leaves.
func newList(leaves []*leaf) list {
	var s list
	s.append(place(nil, leaves))
	return s
}

// place appends leaves to others.
func place(to []placed, leaves []*leaf) []placed {
	at, before := ends(to)
	for _, l := range leaves {
		to = append(to, placed{at, before, l})
		at += len(l.text)
		before += l.tokens
	}
	return to
}

// ends returns the bytes and the tokens of leaves.
func ends(leaves []placed) (size, tokens int) {
	if len(leaves) == 0 {
		return 0, 0
	}
	last := leaves[len(leaves)-1]
	return last.end(), last.before + last.tokens
}

// end returns where the leaf ends.
func (l placed) end() int { return l.at + len(l.text) }

// move returns leaves that are placed so many bytes and tokens further on, appended to others.
func move(to, leaves []placed, bytes, tokens int) []placed {
	for _, l := range leaves {
		to = append(to, placed{l.at + bytes, l.before + tokens, l.leaf})
	}
	return to
}

// append adds a group of leaves at the end, or several where they are many.
func (s *list) append(leaves []placed) {
	for len(leaves) > 0 {
		n := len(leaves)
		if n > maxGroup {
			n = newGroup
		}
		part := leaves[:n]
		if at, before := part[0].at, part[0].before; at > 0 {
			part = move(nil, part, -at, -before)
		}
		s.groups = append(s.groups, group{part, s.leaves, s.size, s.tokens})
		size, tokens := ends(part)
		s.leaves += n
		s.size += size
		s.tokens += tokens
		leaves = leaves[n:]
	}
}

// place returns leaf k of the group, placed in the whole list.
func (g *group) place(k int) placed {
	l := g.leaves[k]
	return placed{g.at + l.at, g.before + l.before, l.leaf}
}

// leaf returns leaf i.
func (s *list) leaf(i int) placed {
	g := &s.groups[s.group(i)]
	return g.place(i - g.first)
}

// group returns the number of the group in which leaf i is.
func (s *list) group(i int) int {
	return sort.Search(len(s.groups)-1, func(k int) bool { return s.groups[k+1].first > i })
}

// locate returns the group and the leaf in it that holds byte i, or the last one for the end of
// the text. The list must not be empty.
func (s *list) locate(i int) (g *group, k int) {
	g = &s.groups[sort.Search(len(s.groups)-1, func(k int) bool { return s.groups[k+1].at > i })]
	return g, sort.Search(len(g.leaves)-1, func(k int) bool { return g.leaves[k+1].at > i-g.at })
}

// find returns the number of the leaf that holds byte i, as locate does.
func (s *list) find(i int) int {
	g, k := s.locate(i)
	return g.first + k
}

// byByte returns the leaf that holds byte i, as locate does.
func (s *list) byByte(i int) placed {
	g, k := s.locate(i)
	return g.place(k)
}

// byToken returns the leaf that holds token n.
func (s *list) byToken(n int) placed {
	g := &s.groups[sort.Search(len(s.groups)-1, func(k int) bool { return s.groups[k+1].before > n })]
	return g.place(sort.Search(len(g.leaves)-1, func(k int) bool { return g.leaves[k+1].before > n-g.before }))
}

// replace returns the list with other leaves in the place of those from first to last.
func (s *list) replace(first, last int, with []*leaf) list {
	from, to := s.group(first), s.group(last)
	a, b := s.groups[from], s.groups[to]
	left, right := a.leaves[:first-a.first], b.leaves[last+1-b.first:]
	leaves := make([]placed, 0, len(left)+len(with)+len(right))
	leaves = place(append(leaves, left...), with)
	if len(right) > 0 {
		at, before := ends(leaves)
		leaves = move(leaves, right, at-right[0].at, before-right[0].before)
	}
	if to++; len(leaves) < newGroup/2 && to < len(s.groups) {
		at, before := ends(leaves)
		leaves = move(leaves, s.groups[to].leaves, at, before)
		to++
	}

	edited := list{groups: make([]group, from, len(s.groups)+1), leaves: a.first, size: a.at, tokens: a.before}
	copy(edited.groups, s.groups)
	edited.append(leaves)
	if to == len(s.groups) {
		return edited
	}
	next := s.groups[to]
	moved := list{leaves: edited.leaves - next.first, size: edited.size - next.at, tokens: edited.tokens - next.before}
	for _, g := range s.groups[to:] {
		edited.groups = append(edited.groups, group{g.leaves, g.first + moved.leaves, g.at + moved.size, g.before + moved.tokens})
	}
	edited.leaves, edited.size, edited.tokens = s.leaves+moved.leaves, s.size+moved.size, s.tokens+moved.tokens
	return edited
}
