package window

import (
	"strings"

	"ctxledger.dev/intents"
)

// pairWindow replaces the results of the oldest units when there are too many. Their calls stay with their ids. A quarter of the
// bound goes at once, unless it is to be exact, so that the provider's cache holds for as many rounds.
func pairWindow(s *scene) (out []Edit) {
	if s.policy.ToolPairs <= 0 {
		return nil
	}
	gone := surplus(s.newest()+1, s.policy.ToolPairs, 1, s.policy.Exact)
	for i := range s.acts {
		if a := &s.acts[i]; a.unit < gone && a.result != nil && !s.isCleared(a) {
			out = append(out, s.hide(a, kept(markWindow, a.handle()))...)
		}
	}
	return out
}

// noteLines is how many calls a list names.
const noteLines = 100

// sameTool reports whether a name in a configuration means a call: by the tool's own name, or one of another host's for the same
// operation, as grep_file means Grep.
func (a *act) sameTool(name string) (own, other bool) {
	op := intents.Classify(name, nil).Op
	return strings.EqualFold(name, a.Name), op != "" && op != intents.OpLook && op == a.Op
}
