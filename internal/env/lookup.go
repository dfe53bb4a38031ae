package env

import "os"

// traced is a path that is not there, which only the linker sets, for lab/authority: each lookup then asks the
// system for the variable's name below it, so that a trace of system calls shows what is read.
var traced string

// lookup returns the value of a variable.
func lookup(name string) string {
	if traced != "" && name != "" { // an agent without such a variable has no name for it
		_, _ = os.Readlink(traced + name) // it is not there
	}
	return os.Getenv(name)
}
