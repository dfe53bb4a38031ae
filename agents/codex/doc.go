// Package codex writes sessions as rollouts of Codex, so that Codex goes on with them.
//
// Writer is all that others need. A model reads the response items of a rollout, people read its events; a rollout
// without an event of the user is in no list. Commands, reads and edits become calls of the tools that Codex has, see
// toolOf; calls of other tools become text, because a model takes those that it sees for its own.
//
// What is deliberately not written: base_instructions, which would replace those of the installed Codex; token_count,
// by which it compacts; encrypted reasoning; a model or its provider.
package codex
