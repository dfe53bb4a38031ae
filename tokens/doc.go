// Package tokens counts the tokens of text as language models do.
//
// Start with For, which gives the Counter of a model, or with Encoding.Count when the
// encoding itself is wanted. Counters of models without a public tokenizer estimate; an Estimator learns
// from what providers measured, and Counter.With puts it to use. Window knows the context size of common models.
//
// Guarantees: O200kBase and CL100kBase are exact, id for id the reference's own, on every
// input, valid UTF-8 or not; what cannot be exact says so in Count.Exact and carries an
// upper bound. Counts never move with the Go toolchain: the character classes are frozen at
// Unicode 16.0 (data/unicode-16.0.txt) and the vocabularies are embedded and verified by
// their check sums. Time grows with the length of the text, whatever it holds. Everything is
// safe for concurrent use, and Count does not allocate once it is warm (but for pieces of
// over 64 KiB).
//
// How it works: a scanner cuts the text into pieces (ascii.go where every byte that matters
// is ASCII, rune.go, the definition, for the rest); each piece is merged on its own by byte
// pairs (merge.go, or sweep.go for long ones); a worker from a pool remembers the counts of
// the pieces that it saw (cache.go). Only a single piece of over 256 MiB, such as that many
// letters in a row, is cut where it should not be.
//
// The package deliberately does no I/O, uses no regular expressions, recognises no special
// tokens (content is counted as ordinary text, <|endoftext|> included), and knows no
// framing: what a provider adds for each message or tool is the caller's.
package tokens
