package compaction

import (
	"fmt"

	"ctxledger.dev/compaction/layout"
)

// modelNote closes a document whose body a model wrote.
const modelNote = "RESUMPTION NOTE: History compacted by a model. Where its summary and the lists from the " +
	"ledger above differ, the lists win. Do not redo what they show as done; resume what they show as open."

// failureText is the documented marker of a range about which nothing is known.
const failureText = "[COMPACTION FAILED — covers turns %d–%d]\n\nSummary generation failed: %s\n\n" +
	"Context for this turn range could not be preserved. Before acting:\n" +
	"• Read current file state directly — do not assume prior work was completed.\n" +
	"• Check the change log for ground truth of what was actually written.\n" +
	"• Re-derive your next step from observable disk state, not from memory."

// section collects the lines of a part of the document. What a line is worth and how far it shrinks is told by its class,
// see package layout.
type section func(*source, *layout.Document) error

// documentSections are the parts of a document, in its order.
var documentSections = []section{
	sure(addOpening),      // what this is
	addPins,               // what the caller pinned
	sure(addTask),         // the task, in the user's words
	sure(addRefusals),     // what the user refused
	addNow,                // the state of the work
	sure(addNotes),        // the agent's notes
	sure(addAttempts),     // what agents logged as tried
	addEarlier,            // what the host's model wrote
	sure(addNarrative),    // what a model wrote
	addSymbols,            // what written files define and use
	addReasoning,          // excerpts of the model's reasoning
	sure(addConversation), // the conversation, and the agent's last words in the state of the work
	sure(addFiles),        // what was done to files
	sure(addCommands),     // checks and commits
	sure(addOpen),         // unresolved failures
	addLookups,            // handles, and files that were read
	addMaterial,           // documents and results, where little was said
	sure(addFailure),      // that nothing is known
	sure(addBody),         // operations, or a note
}

// sure adapts what cannot fail.
func sure(add func(*source, *layout.Document)) section {
	return func(s *source, d *layout.Document) error {
		add(s, d)
		return nil
	}
}

// write makes the document for the compacted range. need is 0, or the tokens that it takes at least
// when the budget is too small for what must be in it.
func (s *source) write() (text string, need int, err error) {
	d := &layout.Document{}
	for _, add := range documentSections {
		if err := add(s, d); err != nil {
			return "", 0, err
		}
	}
	text, size, ok := d.Fill(s.budget)
	if s.carry(d) {
		text, size, ok = d.Fill(s.budget)
	}
	if more, err := s.addLeftOut(d, text); err != nil {
		return "", 0, err
	} else if more {
		text, size, ok = d.Fill(s.budget)
	}
	if ok && s.words != nil {
		text, _ = s.words.grow(d, text, size)
	}
	if !ok {
		return text, d.Need(), nil
	}
	return text, 0, nil
}

// documentHead begins every document of this version.
const documentHead = "[STATE OF THIS CONVERSATION — "

// tiny is the budget, in tokens, below which a document has room for hardly more than the task: its first line is brief.
const tiny = 200

// addOpening adds the first block: what the document is.
func addOpening(s *source, d *layout.Document) {
	from, to := s.turns()
	verb := "were compacted"
	switch {
	case s.o.Whole && from == to:
		verb = "is in an earlier conversation"
	case s.o.Whole:
		verb = "are in an earlier conversation"
	case from == to:
		verb = "was compacted"
	}
	head := documentHead + layout.TurnRange(from, to) + " " + verb
	if s.budget < tiny {
		head += "]"
	} else {
		head += "; made from its own words and recorded facts]\n" +
			"Oldest first: newer entries override older ones." + s.dirLine()
	}
	d.Block(&layout.Block{Head: head, Always: true})
}

// addFailure adds the failure marker where a model failed and the ledger recorded no call in the range.
// Otherwise the document itself says more.
func addFailure(s *source, d *layout.Document) {
	if s.failure == "" || len(s.past) > 0 {
		return
	}
	from, to := s.turns()
	d.Block(&layout.Block{Head: fmt.Sprintf(failureText, from, to, layout.OneLine(s.failure, 300)), Always: true})
}

// addBody adds the last block: the list of operations or, where a model's summary replaces it, the closing note.
func addBody(s *source, d *layout.Document) {
	if s.mode() == LLM {
		d.Block(&layout.Block{Head: s.pendingWarning() + modelNote + "\n\n" + s.historyLine(), Always: true})
		return
	}
	addOperations(s, d)
}
