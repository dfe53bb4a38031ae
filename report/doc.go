// Package report makes the figures of an audit: what past sessions of agents cost, what filled their
// requests, and what was sent, read or lost again and again.
//
// Start with NewMeter, which takes what one session file says, entry after entry, and with Merge, which
// adds up what meters found. Page writes a Report as one HTML file.
//
// What a provider reported (tokens.Used) is summed as it is. What a request held is known only in estimated
// tokens, so each request's reported input is shared out over the pieces of its context in proportion:
// the shares of a request always add up to what was paid for it. Dollars follow the order of a request,
// as a provider's cache does: its beginning was read from the cache, what follows was written to it, the
// rest was neither.
//
// Guarantees: the same entries give the same figures, at any speed of the reader; time grows
// with the number of entries, also where a context is taken back and grows again; a meter holds the pieces
// of the contexts that are open, not the texts. Every list in a Report is sorted and capped.
//
// The package deliberately reads no files, knows no agent and no message format, and counts no tokens:
// packages agents/audit and agents/claudecode hand it plain values.
package report
