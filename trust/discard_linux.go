package trust

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardTyped drops what was typed at a terminal and not read yet.
func discardTyped(tty *os.File) error {
	return unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
