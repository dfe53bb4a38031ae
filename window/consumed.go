package window

// consumedChars is what stays of a consumed read, in characters.
const consumedChars = 500

// consumedReads cuts what was read of files that were changed later: it is not true any more. A read of
// a part is consumed by a write of the whole file or its deletion only: whether a patch touched that
// part is not known. A move consumes both names. Nothing is consumed by what failed.
func consumedReads(s *scene) (out []Edit) {
	last := map[string]int{} // by path: the last call that changed the file
	all := map[string]int{}  // the last that changed all of it
	for i := range s.acts {
		a := &s.acts[i]
		if !a.changes() || !a.done() {
			continue
		}
		for _, path := range []string{a.Target, a.From} {
			if path == "" {
				continue
			}
			last[path] = i
			if a.Op != opPatch {
				all[path] = i
			}
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		by := last
		if a.Partial {
			by = all
		}
		if a.isRead() && a.done() && !a.resultEdited && by[a.Target] > i && a.result.Chars > consumedChars {
			out = append(out, s.cut(a, Edit{Head: consumedChars, Text: markConsumed})...)
		}
	}
	return out
}
