// Package process knows of other processes of this machine. Start at Alive, which is all there is.
//
// It deliberately changes nothing about them, and knows none by name.
package process
