//go:build unix && !linux

package trust

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped drops what was typed at a terminal and not read yet.
func discardTyped(tty *os.File) error {
	const input = 1 // FREAD of <sys/fcntl.h>: the input, not the output
	return unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, input)
}
