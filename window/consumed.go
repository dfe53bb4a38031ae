package window

import "ctxledger.dev/intents"

// consumedChars is what stays of a consumed read, in characters.
const consumedChars = 500

// consumedReads cuts what was read of files that were changed later: it is out of date. A read of a part is
// consumed by a change of the whole file, not by a patch, which may have touched another part. A move consumes
// both names, a copy that of the copy. A command consumes the files that it is known to have changed. Failed calls
// consume nothing.
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
			out = append(out, s.cut(a, Edit{Head: consumedChars, Text: kept(markConsumed, a.handle())})...)
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

// shownChars is how many characters of a result are shown, at most: 0 for one that was replaced.
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
