// Package sessions keeps the log of every conversation: append-only entries with the originals
// exactly as received, chained by message ids.
//
// Start at Append and Scan. An entry is a small header, which says what was extracted when it was
// appended, in front of the original bytes; a view is folded from headers alone and loads only the
// originals that it shows.
//
// Guarantees: an entry never changes once appended (Forget, which removes an original's bytes and
// says so in the entry, is the one exception); sequence numbers have no gaps; the id of a received
// entry names everything received before it, so that two hosts with the same beginning share ids
// and a changed beginning never goes unnoticed.
//
// The package deliberately decides nothing about what a model sees: that is package window.
package sessions
