// Package cli is the command line of ctxledger, for people and for agents' hooks.
//
// Start at commands.go, the table of all commands: each is a value (command.go), from which its help, its completion and
// the tests derive, in a file of its own. Its function gets an action, one run: where it prints and asks, and what it works on.
//
// Rules: standard output is the answer alone, messages go to standard error with the
// program's name in front, and so does, without it, the list that a question is about; --json works everywhere; nothing stored reaches a terminal with its
// control characters; exit status 0 is done, also where there was nothing to do, 1 failed (the message says what, and the way out),
// 2 wrong use. A command opens the ledger only if it needs it, and starts its daemon if none runs.
//
// The package deliberately holds no logic of its own: it asks the engine and prints the answer.
package cli
