// Package scriptedmodel plays a language model from a script, so that a real coding agent can be
// run in a test: offline, without an account, and with the same tool calls every time.
//
// Begin with New, which returns an http.Handler for the parts of the Messages, chat completions, Responses
// and generateContent APIs that Claude Code, opencode, pi, Codex and Gemini CLI use. Its method Start
// serves it on a loopback address until the test ends.
// Agent finds an installed agent (or skips the test) and Run lets it work on one prompt.
//
// Guarantees: the n-th request of a session's main conversation gets the n-th Step, whatever the
// agent has cut from its history in between; side requests (titles, quota probes, compaction,
// subagents) never use up a step; the same script in the same session gives the same ids and
// texts. Nothing is sent anywhere, and the agent sees nothing of the caller's environment.
//
// It deliberately understands no conversation: it does not look at tool results, does not branch,
// and its usage figures are an estimate (a quarter of the bytes of a request) that grows as real
// ones do. It is for tests and recordings only; the product must not import it.
package scriptedmodel
