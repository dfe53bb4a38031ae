// Package process reports whether other processes of this machine exist, and ends programs with all that they started.
// Start at Alive and at Group.
//
// It deliberately does not find processes by name.
package process
