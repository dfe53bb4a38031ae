// Package intents keeps what tool calls meant to do: pending before they run, then applied or
// failed.
//
// Start at Classify, which says what a host's tool call means, and at Begin and Finish. An intent
// stays pending through any crash until something finishes it; a structured status always wins
// over what a result's text seems to say.
//
// The package deliberately knows only calls: what really happened to files is package changes.
package intents
