// Package transcript is the neutral model of a conversation and the codecs between it and the wire
// formats of the providers.
//
// Start with Decode, which turns the bytes of one message into a Message, and with Render, which puts the
// records of one message together and shows less of them without touching the rest: Merge and Edit are
// its two halves. Split splits a conversation, Recognise finds its format, Extract finds what is
// worth indexing, Valid checks the order that the provider demands.
//
// The formats are Anthropic's messages, OpenAI's chat completions and the items of its responses, and
// Gemini's contents: one table in format.go, a codec each, and files named after it (chat, responses,
// gemini). What they share is in content, openai (both of OpenAI's), blocks (messages that are an
// array of parts), ids and valid. In the neutral model one message holds an answer with all its calls, and
// one all their results; where the provider wants a list of smaller ones, Render gives several.
//
// Guarantees: bytes that are not edited are emitted exactly as received (unknown fields, key order,
// white space and the spelling of numbers included); no input makes the package panic; size and
// nesting are bounded; the same input gives the same output. Invalid UTF-8 is read as U+FFFD and kept
// in Raw as it came.
//
// The package deliberately counts no tokens, stores nothing, and knows neither sessions nor policies.
package transcript
