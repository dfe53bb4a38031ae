// Package codex reads the rollouts of Codex, and writes sessions as such, so that Codex goes on with them.
//
// Adapter and Writer are all that others need. Reading: items are messages of OpenAI's responses, every other record is a
// note. Messages that Codex writes itself, as the developer or in the user's name, are marked as such. The provider's
// usage is on a note behind the answer. Usage that came with the copied history of another session counts in that one;
// turns that Codex took back stay.
//
// Writing: a model reads the response items of a rollout, people read its events; a rollout
// without an event of the user is in no list. Commands, reads and edits become calls of the tools that Codex has, see
// toolOf; calls of other tools become text, because a model takes those that it sees for its own.
//
// What is deliberately not written: base_instructions, which would replace those of the installed Codex; token_count,
// by which it compacts; encrypted reasoning; a model or its provider.
package codex
