package effects

import (
	"slices"
	"strings"
)

// version is the content of a file at one time: the whole text where that is known, and the edits that led to it
// from a text that is not known. Versions are values; none is changed once it is in use.
type version struct {
	exists bool
	known  bool // text is the whole content
	text   string
	whole  bool // a whole edit gave text; hunks came later
	hunks  []*hunk
	n      int  // edits in it
	more   bool // there were more hunks than are kept
}

// hunk is one place that edits changed, as a whole: several edits of it are one hunk.
type hunk struct {
	old, new    string
	all         bool
	first, last int // turns
	n           int // edits
}

const (
	maxHunks = 64       // of a file, that later edits are compared with
	maxHunk  = 16 << 10 // bytes of a hunk's texts
	minInner = 8        // bytes of a hunk's new text that are enough to find it inside a later edit's old one
)

// same reports whether two versions are equal for all that is known.
func (v version) same(o version) bool {
	return v.exists == o.exists && v.known == o.known && v.text == o.text && v.whole == o.whole &&
		slices.Equal(v.hunks, o.hunks)
}

// pristine reports whether a version has no edits of the session.
func (v version) pristine(base version) bool {
	return v.exists == base.exists && len(v.hunks) == 0 && !v.more && !v.whole &&
		v.known == base.known && v.text == base.text
}

// elsewhere is a version that only git has: its text is not known here.
var elsewhere = version{exists: true, known: true, text: "\x00"}

// edit returns the version behind an edit, whether the edit took an earlier one back, and whether it matched one
// that was in the file.
func (v version) edit(e Edit, turn int) (out version, back, matched bool) {
	if e.Whole {
		return version{exists: true, known: len(e.New) <= maxText, text: e.New[:min(len(e.New), maxText)], whole: true,
			n: v.n + 1}, false, true
	}
	out = v
	out.exists = true
	out.n++
	if v.known {
		if text, ok := replaced(v.text, e); ok {
			out.text = text
			if v.whole {
				return out, false, false
			}
		} else {
			out.known = false
		}
	}
	out.hunks, back, matched = composed(v.hunks, hunk{e.Old, e.New, e.All, turn, turn, 1})
	if len(out.hunks) > maxNetHunks {
		out.hunks, out.more = out.hunks[1:], true
	}
	if back {
		out.n = 0
		for _, h := range out.hunks {
			out.n += h.n
		}
		if v.whole {
			out.n++
		}
	}
	return out, back, matched
}

// opaque returns the version behind a change of which nothing is known but that it took place.
func (v version) opaque(turn int) version {
	v.hunks, v.known, v.exists = append(slices.Clone(v.hunks), &hunk{first: turn, last: turn, n: 1}), false, true
	if len(v.hunks) > maxNetHunks {
		v.hunks, v.more = v.hunks[1:], true
	}
	v.n++
	return v
}

// replaced applies an edit to a text.
func replaced(text string, e Edit) (string, bool) {
	n := 1
	if e.All {
		n = strings.Count(text, e.Old)
	}
	if e.Old == "" || !strings.Contains(text, e.Old) || len(text)+n*(len(e.New)-len(e.Old)) > maxText {
		return text, false
	}
	return strings.Replace(text, e.Old, e.New, n), true
}

// composed adds a hunk to those of a file: one that changes what an earlier one wrote becomes one with it, and if
// that leaves the text as it was, both are gone (back).
func composed(have []*hunk, h hunk) (out []*hunk, back, matched bool) {
	out = slices.Clone(have)
	before := h.old
	for i := len(out) - 1; i >= max(0, len(have)-maxHunks); i-- {
		one, ok := out[i].then(h)
		if !ok {
			continue
		}
		matched = matched || !strings.Contains(out[i].old, before) // else it could match what was there before
		h = one
		out = slices.Delete(out, i, i+1)
		if h.old == h.new {
			return out, true, matched
		}
	}
	return append(out, &h), false, matched
}

// then returns two edits as one, if the second plainly changes what the first wrote.
func (h *hunk) then(e hunk) (hunk, bool) {
	one := hunk{h.old, e.new, h.all, min(h.first, e.first), max(h.last, e.last), h.n + e.n}
	switch {
	case h.all != e.all, len(h.old)+len(h.new)+len(e.old)+len(e.new) > maxHunk, h.new == "" && e.old == "":
		return one, false
	case h.new == e.old:
		return one, !h.all || h.old == e.new
	case h.all:
		return one, false
	case e.old != "" && strings.Contains(h.new, e.old):
		one.new = strings.Replace(h.new, e.old, e.new, 1)
		return one, true
	case len(h.new) >= minInner && strings.Count(e.old, h.new) == 1:
		one.old = strings.Replace(e.old, h.new, h.old, 1)
		return one, true
	}
	return one, false
}

// net describes a version by names, against the file before the session.
func (v version) net(f *file) Change {
	switch {
	case !f.base.exists && v.known:
		return Of(Edit{Path: f.path, New: v.text})
	case f.baseText && v.known:
		return Of(Edit{Path: f.path, Old: f.base.text, New: v.text})
	}
	var n names
	if v.whole {
		c := Of(Edit{Path: f.path, New: v.text})
		if f.base.exists {
			c.Added, c.Changed = nil, c.Added
		}
		n.take(c)
	}
	for _, h := range v.hunks {
		n.take(Of(Edit{Path: f.path, Old: h.old, New: h.new}))
	}
	return n.change()
}

// maxNetHunks bounds the hunks that are kept of a file, and describe it.
const maxNetHunks = 256

// names folds the changes of several places: what one adds and another removes was moved, or came and went.
type names struct {
	order []string
	state map[string]nameState
	first string
}

type nameState int

const (
	nameKept nameState = iota // there before and after, or neither
	nameAdded
	nameRemoved
	nameChanged
)

func (n *names) take(c Change) {
	if n.first == "" {
		n.first = c.First
	}
	if n.state == nil {
		n.state = make(map[string]nameState)
	}
	for _, name := range c.Added {
		n.put(name, map[nameState]nameState{nameKept: nameAdded, nameRemoved: nameChanged})
	}
	for _, name := range c.Removed {
		n.put(name, map[nameState]nameState{nameKept: nameRemoved, nameAdded: nameKept, nameChanged: nameRemoved})
	}
	for _, name := range c.Changed {
		n.put(name, map[nameState]nameState{nameKept: nameChanged})
	}
}

// put moves a name to the state that follows its present one; without one it stays.
func (n *names) put(name string, next map[nameState]nameState) {
	was, known := n.state[name]
	if !known {
		n.order = append(n.order, name)
	}
	if to, moves := next[was]; moves {
		n.state[name] = to
	} else if !known {
		n.state[name] = was
	}
}

func (n *names) change() Change {
	var c Change
	for _, name := range n.order {
		switch n.state[name] {
		case nameAdded:
			c.Added = append(c.Added, name)
		case nameRemoved:
			c.Removed = append(c.Removed, name)
		case nameChanged:
			c.Changed = append(c.Changed, name)
		}
	}
	c.Added, c.Removed, c.Changed = capped(c.Added), capped(c.Removed), capped(c.Changed)
	if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
		c.First = n.first
	}
	return c
}
