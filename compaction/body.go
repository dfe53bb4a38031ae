package compaction

import "fmt"

// modelNote closes a document whose body a model wrote.
const modelNote = "RESUMPTION NOTE: History compacted by a model. Where its summary and the lists from the ledger above differ, the lists hold. " +
	"Do not redo what they show as done; take up what they show as open."

// addBody adds the last block of the document: the list of operations, or, where a model's summary
// stands in its place, what closes the document.
func (s *source) addBody(d *document) {
	if s.mode() != LLM {
		s.addOperations(d)
		return
	}
	text := modelNote + "\n\n" + s.historyLine()
	if n := s.pendingOperations(); n > 0 {
		text = fmt.Sprintf("WARNING: %d intent(s) are still PENDING — they may have been interrupted.\n"+
			"Check current disk state before retrying these operations.\n\n", n) + text
	}
	d.block(&block{head: text, always: true})
}

func (s *source) pendingOperations() int {
	n := 0
	for i := range s.past {
		if s.past[i].pending() {
			n++
		}
	}
	return n
}
