// Package window computes the view: what a model is to see of a session now.
//
// Start with Plan. It reads the headers of a session's log and says which entries make up which
// message, where a stub stands for a result, and what has to be left out or added so that no call
// lacks its results. It returns positions and edits, never bytes: a caller reads the originals of
// Slot.Seqs and renders them with Slot.Edits (transcript.Render).
//
// The steps stand one a file, in the order in which they run: path (rewinds), visible, cut
// (compaction), group (records to messages), pairs (calls and results), stub.
//
// Guarantees: Plan is a pure function, the same input gives the same view; a view is valid for the
// provider (design invariant 3); entries that are appended leave the messages before the last unit
// as they were, byte for byte, until a cutoff or a rewind (design invariant 4). For that last reason
// neighbouring messages of one role stay apart, also where a dropped message stood between them:
// providers accept that, while joining them would rewrite a message that was already sent. Gemini does
// not: there an answer that makes calls joins the answer in front of it (pairs).
//
// The package deliberately reads no originals, counts no tokens, stores nothing and decides nothing
// about when to compact.
package window
