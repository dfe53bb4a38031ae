// Package replay plays recorded sessions through the product, to measure what its policies would have
// done to them.
//
// Start at Retention: for each compaction that the session's host made it builds our summary at that
// point, through a ledger that lives as long as the call, and measures it beside the host's own summary
// and the simplest texts of the same length.
//
// It is replay, not solved tasks: a session went as it went under its host, and nobody knows what the
// agent would have done with another view.
//
// Guarantees: nothing outside a temporary directory is written, and that is removed; same session, same
// figures. The package deliberately reads no files: a Session is handed in whole by whoever knows the
// agent that wrote it.
package replay
