// Package e2e tests the product from outside: the real programs, their daemons, a real MCP client
// over stdio and, where it is installed, a real coding agent.
//
// Start at main_test.go, which builds the programs once. Nothing here knows how anything is done
// inside; what a test waits for is an event of the ledger or a state that is polled with a deadline.
package e2e
