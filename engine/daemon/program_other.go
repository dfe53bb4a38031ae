//go:build !linux

package daemon

import "os"

// ownProgram returns what to start to run this program once more: what is at its path by now, which after
// an update is the newer one.
func ownProgram() (string, error) { return os.Executable() }
