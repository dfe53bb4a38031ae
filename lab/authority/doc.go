// Package authority proves that a repository commands nothing: it calls everything that the programs offer, over
// generated configurations of a hostile repository and environments that hold secrets, under strace, and wants to see
// no program run, no connection opened and no variable read beyond what is documented.
//
// Start at TestARepositoryCommandsNothing; `make authority` runs it at length. What is called comes from the
// programs' own inventories (commands, events of hooks, tools, prompts, resources, methods of the language server): an
// entry without a call in calls_test.go fails the test. Reads of variables are seen because the programs are linked so that
// internal/env shows them. Controls plant the user's own configuration and want to see what it runs.
//
// The package deliberately decides nothing about what is allowed but four things: our own programs, the socket of a
// daemon in its state directory, and the variables in the table of docs/configuration.md.
package authority
