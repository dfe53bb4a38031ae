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
		batch.add(s, a, noteWritten, markWritten)
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
			batch.add(s, a, noteRepeated, markRepeated)
		}
	}
	return batch.take(s.policy.BatchChars)
}

// observes reports whether a call only looks.
func (a *act) observes() bool { return a.Op == opRead || a.Op == opGrep || a.Op == opList }

// batch is what would be rewritten together, and how many characters that is.
type batch struct {
	edits []Edit
	chars int
}

// add proposes to rewrite the arguments and the result of a call.
func (b *batch) add(s *scene, a *act, args, result string) {
	if !a.argsEdited {
		b.edits = append(b.edits, s.rewrite(a, Edit{Text: args})...)
		b.chars += a.Chars
	}
	if a.result != nil && !a.resultEdited {
		b.edits = append(b.edits, s.hide(a, result)...)
		b.chars += a.result.Chars
	}
}

// take returns the proposals if there is enough to rewrite.
func (b *batch) take(least int) []Edit {
	if b.chars < least {
		return nil
	}
	return b.edits
}
