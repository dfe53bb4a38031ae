package link

import "os"

// ownExecutable is this program, even after an update has replaced or removed its file.
const ownExecutable = "/proc/self/exe"

// ownProgram returns the path that runs this same program again.
func ownProgram() (string, error) {
	if _, err := os.Stat(ownExecutable); err == nil {
		return ownExecutable, nil
	}
	return os.Executable() // without /proc
}
