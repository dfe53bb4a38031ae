// Package hooks translates the hook events of Claude Code: what it writes to the standard input of a hook into plain
// values, and what is to happen into exactly the JSON that it reads.
//
// Start with Decode. An event then says what it is about: Event.Result for the result of a call, with Replace for the
// other direction; Context, Deny and Note are the other answers. An answer that Claude Code does not expect is shown to
// the user as an error, so an event has those answers alone that its documentation lists.
//
// The package reads no file and asks no ledger; package agents/hook does.
package hooks
