package compaction

import "fmt"

// failureText is the documented marker of a range that nothing could be said of.
const failureText = "[COMPACTION FAILED — covers turns %d–%d]\n\nSummary generation failed: %s\n\n" +
	"Context for this turn range could not be preserved. Before acting:\n" +
	"• Read current file state directly — do not assume prior work was completed.\n" +
	"• Check the change log for ground truth of what was actually written.\n" +
	"• Re-derive your next step from observable disk state, not from memory."

// addFailure adds the marker where a model failed and the ledger knows nothing of the range but what was
// said in it: messages without a single call. Everywhere else the ledger's own document says more.
func (s *source) addFailure(d *document) {
	if s.failure == "" || len(s.past) > 0 {
		return
	}
	from, to := s.turns()
	d.block(&block{head: fmt.Sprintf(failureText, from, to, oneLine(s.failure, 300)), always: true})
}
