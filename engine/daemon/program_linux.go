package daemon

import "os"

// ownExecutable is this program, whatever its path names by now: an update may have replaced or removed it.
const ownExecutable = "/proc/self/exe"

// ownProgram returns what to start to run this very program once more.
func ownProgram() (string, error) {
	if _, err := os.Stat(ownExecutable); err == nil {
		return ownExecutable, nil
	}
	return os.Executable() // without /proc
}
