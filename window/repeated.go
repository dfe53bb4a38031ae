package window

import (
	"slices"

	"ctxledger.dev/intents"
)

// repeatedCalls takes away the older ones of calls that ask the same and change nothing; the newest one
// that succeeded stays.
func repeatedCalls(s *scene, b *batch) {
	newest := map[string]int{} // by name and arguments
	for i := range s.acts {
		if a := &s.acts[i]; a.Same != "" && a.done() && s.observes(a) {
			newest[a.Name+"\x00"+a.Same] = i
		}
	}
	for i := range s.acts {
		a := &s.acts[i]
		if a.Same != "" && newest[a.Name+"\x00"+a.Same] > i && a.unit != s.newest() && s.observes(a) {
			b.addCall(s, a, noteRepeated, markRepeated)
		}
	}
}

// observes reports whether a call only looks.
func (s *scene) observes(a *act) bool {
	switch a.Op {
	case intents.OpRead, intents.OpGrep, intents.OpList, intents.OpLook:
		return true
	case "":
		return slices.ContainsFunc(s.policy.ReadOnly, a.named)
	}
	return false
}
