//go:build !linux

package link

import "os"

// ownProgram returns the path that runs this program again: after an update, its newer version.
func ownProgram() (string, error) { return os.Executable() }
