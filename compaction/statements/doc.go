// Package statements splits what an agent said into statements and orders them by what they are worth to somebody who
// continues its work.
//
// Start with Rank. A statement is a sentence, a list, a row of a table or a short code block, always verbatim. Its worth
// is a sum over features: how rare the names in it are, whether it closes a turn, and the words that hint at causes,
// decisions, rejected options, findings, remaining work and outcomes (cues.go, a row for each language); it rises with
// its place in the conversation and falls with its length. Names that chosen statements say already count little, so
// that no topic takes all. Announcements ("Now let me …") are left out. A statement that says little without the one
// before it, or without the heading of its list, brings that along.
//
// The weights were chosen on recorded sessions by how well readers could answer questions about them;
// docs/maintainers/benchmarks.md has the figures. Guarantees: same input, same order; linear time but for sorting. The package knows no ledger and no
// session.
package statements
