// Package hook does what the hooks of coding agents are for: it records a call before it runs, replaces a large result
// before the agent reads it, and tells a session that begins what the ledger knows.
//
// Start at Run, which answers one event of Claude Code (package agents/claudecode/hooks has its JSON). Whatever goes
// wrong is an error, and the caller then prints nothing: the agent works on as if there were no hook.
//
// Everything that is put into a context is data of the ledger, fenced, labelled and masked; it is told once in a context.
// The package never opens a ledger and never waits by itself: the context that it gets bounds everything.
package hook
