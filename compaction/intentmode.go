package compaction

import (
	"fmt"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/quote"
)

// modelNote closes a document whose body a model wrote.
const modelNote = "RESUMPTION NOTE: History compacted by a model. Where its summary and the lists from the " +
	"ledger above " +
	"differ, the lists hold. Do not redo what they show as done; take up what they show as open."

// failureText is the documented marker of a range about which nothing is known.
const failureText = "[COMPACTION FAILED — covers turns %d–%d]\n\nSummary generation failed: %s\n\n" +
	"Context for this turn range could not be preserved. Before acting:\n" +
	"• Read current file state directly — do not assume prior work was completed.\n" +
	"• Check the change log for ground truth of what was actually written.\n" +
	"• Re-derive your next step from observable disk state, not from memory."

// write makes the document for the compacted range. need is 0, or the tokens that it takes at least
// when the budget is too small for what must be in it.
func (s *source) write() (text string, need int, err error) {
	d := &layout.Document{}
	d.Block(&layout.Block{Head: s.opening(), Always: true})
	pinned, err := s.addPins(d)
	if err != nil {
		return "", 0, err
	}
	task := d.Block(&layout.Block{Head: taskHead})
	s.addRefusals(d)
	if err := s.addNow(d); err != nil {
		return "", 0, err
	}
	s.addNotes(d)
	if err := s.addEarlier(d); err != nil {
		return "", 0, err
	}
	s.addNarrative(d)
	if err := s.addReasoning(d); err != nil {
		return "", 0, err
	}
	conversation := d.Block(&layout.Block{Head: conversationHead})
	s.addUserWords(d, task, conversation, pinned)
	if s.story == nil {
		s.addStatements(d, conversation) // a model has told it otherwise
	}
	s.addFiles(d)
	s.addCommands(d)
	s.addOpen(d)
	s.addLookups(d)
	if err := s.addMaterial(d); err != nil {
		return "", 0, err
	}
	s.addFailure(d)
	s.addBody(d)
	text, size, ok := d.Fill(s.budget)
	if s.carry(d) {
		text, size, ok = d.Fill(s.budget)
	}
	if more, err := s.retain(d, text); err != nil {
		return "", 0, err
	} else if more {
		text, size, ok = d.Fill(s.budget)
	}
	if ok && s.words != nil {
		text, size = s.words.grow(d, text, size)
	}
	if !ok {
		return text, d.Need(size), nil
	}
	return text, 0, nil
}

// documentHead begins every document of this version.
const documentHead = "[STATE OF THIS CONVERSATION — "

// opening is the first block: what the document is.
func (s *source) opening() string {
	from, to := s.turns()
	verb := "were compacted"
	switch {
	case s.o.Whole:
		verb = "are in an earlier conversation"
	case from == to:
		verb = "was compacted"
	}
	return documentHead + quote.TurnRange(from, to) + " " + verb + "; made from its own words and recorded facts]\n" +
		"Oldest first: what is newer overrides what is older." + s.dirLine()
}

// addFailure adds the failure marker where a model failed and the ledger recorded no call in the range.
// Otherwise the document itself says more.
func (s *source) addFailure(d *layout.Document) {
	if s.failure == "" || len(s.past) > 0 {
		return
	}
	from, to := s.turns()
	d.Block(&layout.Block{Head: fmt.Sprintf(failureText, from, to, quote.OneLine(s.failure, 300)), Always: true})
}

// addBody adds the last block: the list of operations or, where a model's summary replaces it, the closing note.
func (s *source) addBody(d *layout.Document) {
	if s.mode() == LLM {
		d.Block(&layout.Block{Head: s.pendingWarning() + modelNote + "\n\n" + s.historyLine(), Always: true})
		return
	}
	s.addOperations(d)
}
