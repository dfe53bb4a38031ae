// Package llm asks models for text: over HTTP in the dialects Anthropic Messages and OpenAI chat
// completions, which local servers speak too, or through any program that reads a prompt from standard
// input and writes the text to standard output.
//
// Start with New, which makes a Client of what package trust approves, and of nothing else. It is a
// compaction.Summarizer, and Author
// makes an engine.Author of it.
//
// # Guarantees
//
// A request is sent once and never repeated: what repeats a prompt that was too long is
// compaction.Ask. Everything is bounded: the whole call by the configured time, an answer by a number of
// bytes, a child process by the same time, after which its whole process group is killed. Redirects are not
// followed, so a key reaches only the configured server; over plain HTTP it is sent to this machine
// only. A key is read when it is needed, kept for the one request, and taken out of every error, whoever
// put it there. What a server says of a failure is cleaned and cut before it is reported.
//
// The package deliberately streams nothing, keeps no connection, caches no answer, logs nothing, and
// decides nothing about when a model is asked: that is the person's or the agent's request for a mode.
package llm
