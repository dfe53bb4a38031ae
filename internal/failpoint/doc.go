// Package failpoint names the places where a crash must lose nothing.
//
// Start at Hit, which marks such a place; Points lists all of them. In a program built with the tag
// failpoints, Arm makes the process kill itself when it next reaches one of them; in other builds a mark
// costs nothing, not even a call.
//
// A test checks that the table lists exactly the marks in the product, each once. lab/crashtest arms each
// of them in turn.
//
// The package deliberately has one way to fail, kill -9: errors of disks and calls are injected from
// outside.
package failpoint
