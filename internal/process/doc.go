// Package process reports whether other processes of this machine exist. Start at Alive.
//
// It deliberately does not change them, or find them by name.
package process
