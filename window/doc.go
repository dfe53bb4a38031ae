// Package window computes the view: what a model is to see of a session now.
//
// Start with Plan. It reads the headers of a session's log and returns which entries make up which message, which
// results are replaced by stubs, and what has to be left out or added so that every call has its result. It returns
// positions and edits, never bytes: a caller reads the originals of Slot.Seqs and renders them with Slot.Edits
// (transcript.Render). A Planner makes the views of a growing log, each from the one before it.
//
// There is one file for each step, in this order: path (rewinds), visible (what shows, from the compaction in effect
// on), group (records to messages), filter, pairs (calls and results), editset (collapsed ranges), thoughts
// (reasoning that nothing follows), stub (what replaces parts).
//
// Decide returns what to show less of from now on. It runs the passes of one table (pass.go), each a pure function
// of the view that proposes edits, and weighs them (cost.go): what no provider has seen is cut at once, what it has
// in its cache only when that pays, or is necessary. Measure makes an edit exact on the original. TriggerPolicy.Due
// reports whether a compaction is due. Policy is what a user can configure. Write.Check keeps markers from being
// written to a file (guard).
//
// Guarantees: Plan is a pure function, the same input gives the same view; a view is valid for the
// provider (design invariant 3); entries that are appended leave the messages before the last unit
// as they were, byte for byte, until a cutoff or a rewind (design invariant 4). Therefore neighbouring messages of
// one role stay separate, even if a message between them was dropped: providers accept that, while joining them
// would rewrite a message that was already sent. Gemini does not: there an answer that makes calls joins the
// answer before it (pairs).
//
// The package deliberately reads no originals and stores nothing: its caller records decisions and
// passes them back in Input.Edits.
package window
