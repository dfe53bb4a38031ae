package window

// supersededWrites takes away what was written into files that were completely rewritten later. A patch
// after the last whole write is never superseded.
func supersededWrites(s *scene) (out []Edit) {
	rewritten := map[string]int{} // by path: the last whole write that succeeded
	for i := range s.acts {
		if a := &s.acts[i]; a.Op == opWrite && a.Target != "" && a.done() {
			rewritten[a.Target] = i
		}
	}
	var batch batch
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != opWrite && a.Op != opPatch || a.Target == "" || rewritten[a.Target] <= i || a.unit == s.newest() {
			continue
		}
		batch.addCall(s, a, noteWritten, markWritten)
	}
	return batch.take(s.policy.BatchChars)
}

// repeatedCalls takes away the older ones of calls that ask the same and change nothing; the newest
// result stays.
func repeatedCalls(s *scene) (out []Edit) {
	newest := map[string]int{} // by name and arguments
	for i := range s.acts {
		if a := &s.acts[i]; a.observes() && a.Same != "" {
			newest[a.Name+"\x00"+a.Same] = i
		}
	}
	var batch batch
	for i := range s.acts {
		a := &s.acts[i]
		if a.observes() && a.Same != "" && newest[a.Name+"\x00"+a.Same] > i && a.unit != s.newest() {
			batch.addCall(s, a, noteRepeated, markRepeated)
		}
	}
	return batch.take(s.policy.BatchChars)
}

// observes reports whether a call only looks.
func (a *act) observes() bool { return a.Op == opRead || a.Op == opGrep || a.Op == opList }

// batch is what would be rewritten together. The edits are made only if that are enough characters.
type batch struct {
	make  []func() []Edit
	chars int
}

// add proposes something that takes so many characters away.
func (b *batch) add(chars int, edits func() []Edit) {
	b.make, b.chars = append(b.make, edits), b.chars+chars
}

// addCall proposes to rewrite the arguments and the result of a call.
func (b *batch) addCall(s *scene, a *act, args, result string) {
	if !a.argsEdited {
		b.add(a.Chars, func() []Edit { return s.rewrite(a, Edit{Text: args}) })
	}
	if a.result != nil && !a.resultEdited {
		b.add(a.result.Chars, func() []Edit { return s.hide(a, result) })
	}
}

// take returns the proposals if there is enough to rewrite.
func (b *batch) take(least int) (out []Edit) {
	if b.chars < least {
		return nil
	}
	for _, edits := range b.make {
		out = append(out, edits()...)
	}
	return out
}
