// Package compaction turns the older part of a conversation into one message, and says exactly what
// left the view and how to get it back.
//
// Start with Plan: it takes a session's visible messages and operations (Input) and Options, and
// returns a Proposal: the outcome, the record, the text. It changes nothing; storing an accepted
// record is the engine's. The modes are Intent (a document made from what the ledger recorded, no
// model), Window (drop the oldest turns), and two that have a model write: Hybrid (the document, with a
// model's summary in it) and LLM (a model's summary in the place of the list of operations). For these
// Plan returns a Brief as well, Ask has a Summarizer answer it, and Finish makes the Proposal.
//
// # The document
//
// It is written for an agent that knows only this text and the newest messages after it, and for a person who wants to
// see what the agent got. Everything in it comes from the log: words are quoted verbatim, facts are recorded, nothing is
// paraphrased. Its sections, in order:
//
//   - the task: the user's first request and the newest one, a short answer with the question that it answers;
//   - what the user refused, with the reason given: a refusal is a rule, not a failure;
//   - the present state: branch, commits and what is not committed, the newest calls, the newest task list (package
//     tasklist), the agent's latest words in full;
//   - the agent's notes, an earlier summary of the host, a model's narrative, each where there is one;
//   - where it is asked for, what written files define and what they use of each other, by the recorded edits;
//   - the conversation: the user's other words, answers given through question tools and approved plans included
//     (package feedback), and below them sentences of the agent, selected by worth (package statements);
//   - each changed file with its net effect (package effects): created, changed, undone, possibly undone, and by the
//     names that its edits declared or removed;
//   - checks and commits with their newest outcome, failing tests by name; why checks failed before they passed;
//   - failures that nothing recorded resolved, and what still goes on in the background;
//   - what can be looked up, outlines of documents and what the newest results say where the agent said little: of tests and
//     builds what failed and how much, wherever in the output that stands, of others the beginning;
//   - the list of operations in the documented form, which other readers parse, if a tenth of the budget holds one.
//
// The list of operations covers the compacted range. Everything else covers the session up to its newest entry, the
// part that stays verbatim included: a host may hand on the document alone, and messages after it may leave the view
// before the document does.
//
// The budget is spent by worth, not by position: see package layout. Each class has a share that it may use before the
// others; what is left goes to the classes in their order, up to a limit, and then without one. The user's words share
// their part so that the longest give way first. Files, edits and last words have a shorter form. What an earlier summary
// of the host covers comes after what was said since.
//
// A model's words replace the sentences of the agent, and no fact: verify.go checks each statement against what was
// recorded, leftout.go carries what they leave out, and if they are unusable as a whole, the document of Intent is
// used without them. The brief of the model has the document, so that it need not find the facts again.
//
// What the texts were chosen by is in docs/maintainers/benchmarks.md: how well readers who have nothing else answer
// questions about sessions, and the measures of lab/carryover.
//
// # Guarantees
//
// Same input, same bytes. What user and agent said is read once for all documents of an input, with the arguments of
// edits and the few results that carry a decision. Time is linear in the length of the session. A proposal with the
// outcome Compacted makes the view smaller by exact count, separates no call from its results, keeps what is pinned, and
// fits the window if that is known. Repeated compaction is cumulative: the document is rebuilt from the whole log, and what
// only an earlier summary still has (notes, pins, anchors) is carried over from its text. Stored text is data: it
// loses terminal escapes and control characters, and none of its lines can be mistaken for one of ours.
//
// The package deliberately stores nothing, reads no clock, and knows no provider: a model is whatever the
// caller hands to Ask, which runs in the caller's process.
package compaction
