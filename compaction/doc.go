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
// It is written for a model that knows only this text and the newest messages after it, and for a person who wants
// to see what the agent got. It starts with what is wanted, continues with the present state, and ends with how it
// came about:
//
//   - the user's own words: nothing else says what the task is, and no paraphrase is as safe. The newest
//     messages and the first share a part of the budget; the longest of them are shortened first;
//   - open work: what failed or was interrupted and did not succeed since. A run that a later run
//     superseded (go test ./... after go test ./a) is neither open nor current;
//   - each changed file, under its present path, with its changes and their subject on one line, followed by
//     the identifiers that the work used most: short lines, each under its file, since a bare word list does
//     not show what belongs together;
//   - each test and build, reduced to the check itself, with its last outcome, and the commits. The output of
//     successful runs is left out;
//   - the agent's notes and closing words, marked as claims, the notes checked against the ledger;
//   - what was read or named, the handles of what is stored outside, and the identifiers that belong to no
//     file, under the turn that mentioned them last;
//   - the list of operations in the documented form, which other readers parse, and how to read the whole
//     history.
//
// The list of operations covers the compacted range. Everything else covers the session up to its newest entry,
// the part that stays verbatim included: a host may hand on the document alone, and messages after it may leave
// the view before the document does.
//
// In a short document, text around the facts costs as much as the facts. Headings are therefore short, the way
// back to the history appears once, sizes only where they are large, and the list of operations repeats earlier
// blocks only if the budget allows. Paths are printed whole: they are copied into calls.
//
// The documented body (from "[INTENT-DERIVED RECONSTRUCTION" to the resumption note) is the last block and always
// complete. All others are prefix blocks, joined by rules. The table of files that were read three times or more is
// left out: its lines would repeat the list above it.
//
// A model's words precede that body, under a heading that attributes them, and have their share of the budget.
// They replace no fact of the ledger: verify.go checks each statement against what was recorded, retention.go
// carries what they leave out, and if they are unusable as a whole, the document of Intent is used without them.
//
// The budget is spent by worth, not by position: see class. Each class has a share that it may use before the
// others; then the classes divide what is left in their order. Identifiers and paths are ranked by how often, how
// recently and by whom they were mentioned, relative to what they cost. Measured on what later calls of real
// sessions used (package retention; figures in docs/benchmarks.md), more elaborate rankings were no better.
//
// # Guarantees
//
// Same input, same bytes. Only texts that may be printed are read, except for the user's short messages, which are
// searched for standing rules. Time is linear in the length of the session. A proposal with the outcome Compacted
// makes the view smaller by exact count, separates no call from its results, keeps what is pinned, and fits the
// window if that is known. Repeated compaction is cumulative: the document is rebuilt from the whole log, and what
// only an earlier summary still has (notes, pins, anchors) is carried over from its text. Stored text is data: it
// loses terminal escapes and control characters, and none of its lines can be mistaken for one of ours.
//
// The package deliberately stores nothing, reads no clock, and knows no provider: a model is whatever the
// caller hands to Ask, which runs in the caller's process.
package compaction
