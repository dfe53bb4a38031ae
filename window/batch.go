package window

import "slices"

// batch collects rewrites that are made together. They are made only if they add up to enough characters: one
// change of what was sent.
type batch struct {
	pass  string // that adds to it now
	made  []batched
	chars int
}

// batched is one proposal of a pass, made when it is wanted.
type batched struct {
	pass string
	make func() []Edit
}

// add proposes something that takes so many characters away.
func (b *batch) add(chars int, edits func() []Edit) {
	b.made, b.chars = append(b.made, batched{b.pass, edits}), b.chars+chars
}

// addCall proposes to put a note in the place of a call's arguments, and a marker in that of its result.
func (b *batch) addCall(s *scene, a *act, note, marker string) {
	if !a.argsEdited {
		b.add(a.Chars, func() []Edit { return s.rewrite(a, Edit{Text: keptNote(note, a.entry.Handle())}) })
	}
	if a.result != nil && !a.resultEdited {
		b.add(a.result.Chars, func() []Edit { return s.hide(a, kept(marker, a.handle())) })
	}
}

// take returns the proposals if there is enough to rewrite: of several with one key the first.
func (b *batch) take(least int) (out []Edit) {
	if b.chars < least {
		return nil
	}
	for _, p := range b.made {
		out = append(out, named(p.pass, p.make())...)
	}
	taken := make(map[editKey]bool, len(out))
	return slices.DeleteFunc(out, func(e Edit) bool {
		again := taken[e.key()]
		taken[e.key()] = true
		return again
	})
}
