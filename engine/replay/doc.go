// Package replay plays recorded sessions through the product, to measure what its policies would have
// done to them.
//
// Start at Run and SavingsOf. Run plays a session request by request under each policy for the view and charges
// what each would have cost; SavingsOf does so for the product's default alone. Open makes the temporary ledger
// in which a session is played.
//
// Run counts tokens by o200k_base and scales them to what the provider counted of the recorded requests: a
// line whose slope comes from growth and whose height is a median. The prefix that a request shares with the
// one before is read from the provider's cache for five minutes, or for an hour where the session's host wrote
// it for that long. A host's compaction is charged as one request of the whole view and its answer. For each
// identifier that a call uses, that was said before and that the view lacks, one more request is charged that
// reads the newest message naming it; under "none" it is not, since the recorded agent did its own reading
// again.
//
// It is replay, not solved tasks: the session is as it was recorded under its host, and what the agent would
// have done with another view is unknown.
//
// Guarantees: nothing outside a temporary directory is written, and that is removed; same session, same
// figures. The package deliberately reads no files: its callers, which know the agent, pass a whole Session.
package replay
