package window

import "ctxledger.dev/intents"

// supersededWrites takes away what was written into files that were completely rewritten later. A patch
// after the last whole write is never superseded.
func supersededWrites(s *scene, b *batch) {
	rewritten := map[string]int{} // by path: the last whole write that succeeded
	for i := range s.acts {
		if a := &s.acts[i]; a.Op == intents.OpWrite && a.Target != "" && a.done() {
			rewritten[a.Target] = i
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		if a.Op != intents.OpWrite && a.Op != intents.OpPatch || a.Target == "" || rewritten[a.Target] <= i ||
			a.unit == s.newest() {
			continue
		}
		b.addCall(s, a, noteWritten, markWritten)
	}
}
