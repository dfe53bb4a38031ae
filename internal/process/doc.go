// Package process tells of other processes of this machine: whether they exist, and from which they descend. Start at
// Alive and Ancestors.
//
// It starts no program for that. It deliberately does not change processes, or find them by name.
package process
