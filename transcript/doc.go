// Package transcript is the neutral model of a conversation and the codecs between it and the wire
// formats of the providers.
//
// Start with Decode, which turns the bytes of one message into a Message, and with Edit, which shows
// less of a message without touching the rest of it. Split takes a conversation apart, Merge puts the
// records of one message together, Extract finds what is worth indexing, Valid checks the order that
// the provider demands. Everything that depends on the format goes through the one table in format.go;
// each format has files of its own.
//
// Guarantees: bytes that are not edited are emitted exactly as received (unknown fields, key order,
// white space and the spelling of numbers included); no input makes the package panic; size and
// nesting are bounded; the same input gives the same output. Invalid UTF-8 is read as U+FFFD and kept
// in Raw as it came.
//
// The package deliberately counts no tokens, stores nothing, and knows neither sessions nor policies.
package transcript
