// Package process tells of other processes of this machine: whether they exist, and from which they descend. It ends
// programs with all that they started. Start at Alive, Ancestors and Group.
//
// It starts no program for that. It deliberately does not find processes by name.
package process
