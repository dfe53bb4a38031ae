// Package failpoint names the places where a process may die and nothing must be lost.
//
// Start at Hit, which marks such a place; Points lists all of them. In a program built with the
// tag failpoints, Arm makes the process kill itself when it next comes to one of them; in every
// other build a mark costs nothing, not even a call.
//
// A test makes sure that every mark in the product stands in the table, once, and that the table
// names no other. lab/crashtest arms each of them in turn.
//
// The package deliberately knows one way to fail, kill -9: what a disk or a call can return is
// injected from outside.
package failpoint
