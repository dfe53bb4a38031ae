// Package setup connects agents for the command line, disconnects them, and shows how far each is connected.
//
// Start at Setup. Plan says what would change, Plan.Print shows it as a diff, and Doctor reports on this machine. Package
// agents/install knows the agents and edits their files; here it is decided which agents are meant, and what a person
// reads.
package setup
