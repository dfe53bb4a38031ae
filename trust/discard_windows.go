package trust

import (
	"os"

	"golang.org/x/sys/windows"
)

// discardTyped drops what was typed at a terminal and not read yet.
func discardTyped(tty *os.File) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(tty.Fd()))
}
