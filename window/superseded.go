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
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != opWrite && a.Op != opPatch || a.Target == "" || rewritten[a.Target] <= i || a.unit == s.newest() {
			continue
		}
		out = append(out, s.replaceCall(a, noteWritten, markWritten)...)
	}
	return out
}

// replaceCall proposes other arguments for a call, and another result.
func (s *scene) replaceCall(a *act, args, result string) (out []Edit) {
	if !a.argsEdited {
		out = append(out, s.rewrite(a, Edit{Text: args})...)
	}
	if a.result != nil && !a.resultEdited {
		out = append(out, s.hide(a, result)...)
	}
	return out
}
