//go:build !linux && !darwin

package bolt

import "os"

// networkFS cannot tell network file systems here.
func networkFS(*os.File) (string, error) { return "", nil }
