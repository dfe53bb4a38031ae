// Package sandbox runs the built programs the way an agent host and a person do: from outside, as
// child processes, in a temporary workspace with a state directory and a home of its own.
//
// Start at New; Run runs a command of ctxledger, Connect starts a ctxmcp with a real MCP client on
// its standard input and output. The demo, the benchmark and the end-to-end tests share it.
//
// Guarantees: the children see no variable of this process but the ones that every program needs
// (PATH, the temporary directory, the locale), so that neither the session nor the project nor the
// ledgers of the user who runs them can leak in. Close ends every daemon that the children started and
// removes the directory.
//
// It deliberately knows no tool and no command: what is called is the caller's business.
package sandbox
