package window

import "ctxledger.dev/intents"

// consumedChars is what stays of a consumed read, in characters.
const consumedChars = 500

// consumedReads cuts what was read of files that were changed later: it is not true any more. A read of
// a part is consumed by what leaves nothing of the file as it was, not by a patch: whether that touched
// the part is not known. A move consumes both names, a copy that of the copy. What a command changed
// consumes too, where that is known. Nothing is consumed by what failed.
func consumedReads(s *scene) (out []Edit) {
	last := map[string]int{} // by path: the last call that changed the file
	all := map[string]int{}  // the last that changed all of it
	for i := range s.acts {
		a := &s.acts[i]
		if !a.changes() || !a.done() {
			continue
		}
		for _, path := range a.changed() {
			last[path] = i
			if a.Op != intents.OpPatch {
				all[path] = i
			}
		}
	}
	changed := s.changedBy()
	for i := range s.acts {
		a := &s.acts[i]
		if !a.isRead() || !a.done() || s.shownChars(a) <= consumedChars {
			continue
		}
		consumed := all[a.Target] > i
		if !a.Partial {
			consumed = last[a.Target] > i || changed(a.Target) > a.answer.Seq
		}
		if consumed {
			out = append(out, s.cut(a, Edit{Head: consumedChars, Text: markConsumed})...)
		}
	}
	return out
}

// changed returns the files that a call leaves otherwise than they were.
func (a *act) changed() []string {
	if a.Op == intents.OpMove && a.From != "" {
		return []string{a.From, a.Target}
	}
	return []string{a.Target}
}

// changedBy returns State.Changed with an answer for every file, which it asks for once.
func (s *scene) changedBy() func(path string) int64 {
	known := map[string]int64{}
	return func(path string) int64 {
		if s.Changed == nil {
			return 0
		}
		seq, asked := known[path]
		if !asked {
			seq = s.Changed(path)
			known[path] = seq
		}
		return seq
	}
}

// shownChars is how many characters of a result are shown, at most: 0 for one that something stands for.
func (s *scene) shownChars(a *act) int {
	e, edited := s.edits[editKey{a.answer.Seq, a.ID, PartResult}]
	switch {
	case edited:
		return min(e.Head+e.Tail, a.result.Chars)
	case a.result.Artifact != "":
		return 0
	}
	return a.result.Chars
}
