// Package tokens counts the tokens of text as language models do.
//
// Start with Builtin, the Registry of the models that the program knows (data/models.txt), to
// which a user can add: its For gives the Counter of a model, and it knows windows, output
// limits and prices. Encoding.Count is for when the encoding itself is wanted, Encoding.Index
// gives the counts of any part of a text without reading the rest, and follows edits.
// Counters of models with another tokenizer than these estimate; an Estimator learns from what providers measured, and Counter.With puts it to use.
//
// Guarantees: O200kBase and CL100kBase are exact, id for id the reference's own, on every
// input, valid UTF-8 or not; what cannot be exact says so in Count.Exact and carries an
// upper bound. Counts never move with the Go toolchain: the character classes are frozen at
// Unicode 16.0 (data/unicode-16.0.txt) and the vocabularies are embedded and verified by
// their check sums. Time grows with the length of the text, whatever it holds. Everything is
// safe for concurrent use, and Count does not allocate once it is warm (but for pieces of
// over 64 KiB).
//
// How it works: a text is cut into pieces on three levels. window.go finds the starts of all
// pieces in 64 bytes at once from masks of classes, made by classify_amd64.s where the processor
// has AVX2 and by classify.go everywhere else (the build tag purego leaves the first out).
// Where the masks cannot decide, ascii.go finds one piece; where a byte that matters is not
// ASCII, rune.go does, the definition that the others are tested against. Each piece is merged
// on its own by byte pairs: merge.go for short ones, from characters instead of bytes in
// Chinese and the like, where lines drawn with characters are short too (characters.go); sweep.go
// for long ones, in blocks that are joined (blocks.go). A worker from a pool remembers the counts
// of the pieces that it saw (cache.go), and their tokens (encode.go). Counts add up at
// safe points (safe.go), between which an index keeps them (index.go, leaf.go; edit.go and mark.go
// for what changes). Only a single piece of over 256 MiB, such as that many letters in a row, is
// cut where it should not be.
//
// The tables of an encoding take up to 10 MB with one worker, of which a worker has 5 MB. What only
// Chinese and the like need comes on top when there is some: 3 MB. So does what only long pieces need:
// a little over 1 MB, and 5 bytes for each token of one. A worker that encodes has another 4 MB.
//
// The package deliberately does no I/O, uses no regular expressions, recognises no special
// tokens (content is counted as ordinary text, <|endoftext|> included), and knows no
// framing: what a provider adds for each message or tool is the caller's.
package tokens
