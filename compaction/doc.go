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
// Its reader is a model that knows nothing but this text and the newest messages below it, and a
// person who wants to see what the agent was told. It therefore goes from what is wanted, over what
// stands, to how it came about:
//
//   - the user's own words: nothing else says what the task is, and no paraphrase is as safe. The newest
//     messages and the first share a part of the budget, and the longest of them gives way first;
//   - open work: what failed or was interrupted and did not succeed since. A run that a later run
//     told anew (go test ./... after go test ./a) is not open, and is not told as current;
//   - each changed file, in its present place, with what was done to it and what its edits were about on
//     one line, and under it the identifiers that the work used most: short lines, each under its file,
//     since a bare word list does not say what belongs together;
//   - each test and build, without what only stands around it, with its last outcome, and the commits: of a
//     run that passed not what it printed;
//   - the agent's notes and closing words, marked as claims, the notes checked against the ledger;
//   - what was read or named, the handles of what is kept outside, and the identifiers that belong to no
//     file, under the turn that said them last;
//   - the list of operations in the documented form, which other readers key on, and the way back to
//     the whole history.
//
// The list of operations is of the compacted range. Everything else tells the session up to its newest
// entry, the part that stays verbatim included: the document may be all that a host hands on, and what
// stands below may leave the view before the document does.
//
// In a short document what stands around the facts costs as many of them: headings are short, the way back to
// the history is told once, a size where it is large, and the list of operations repeats nothing that stands
// above unless there is room. Paths are whole nevertheless: they are copied into calls.
//
// The documented body (from "[INTENT-DERIVED RECONSTRUCTION" to the resumption note) stands last and
// whole; everything else are prefix blocks before it, joined by rules. The table of files that were
// read three times or more is left out: its lines would repeat the list above it.
//
// A model's words stand before that body, under a heading that says whose they are, and have their share
// of the budget. They take no fact of the ledger away: verify.go holds each statement against what was
// recorded, retention.go carries what they leave out, and whatever is wrong with them as a whole, the
// document of Intent stands alone.
//
// The budget is filled by worth, not by place: see class. Each class has a share that it may use
// before the others had their turn; what is left goes round again. Identifiers and paths are ranked by how
// often and how recently they were said, and by whom, for what they cost: measured on what later calls of real
// sessions used (package retention; docs/benchmarks.md has the figures), that ordering was as good as any with
// more to it.
//
// # Guarantees
//
// Same input, same bytes. Nothing is read that may not be printed, except the user's short messages,
// which are looked through for standing rules. Time is linear in the length of the session. A
// proposal with the outcome Compacted makes the view smaller by real count, parts no call from its
// results, keeps what is pinned, and fits the window where that is known. Compacting again is
// cumulative: the document is made anew from the whole log, and what only an earlier summary still
// tells (notes, pins, anchors) is carried over from its text. Stored text is data: it loses terminal
// escapes and control characters, and none of its lines can pose as one of ours.
//
// The package deliberately stores nothing, reads no clock, and knows no provider: a model is whatever the
// caller hands to Ask, which runs in the caller's process.
package compaction
