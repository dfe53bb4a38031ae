package terminaltest

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Open returns the two ends of a new terminal: that of the person, and that of the program. Both are closed when the
// test ends. What the person types is not echoed.
func Open(t testing.TB) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	mode, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	mode.Lflag &^= unix.ECHO
	mode.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(program.Fd()), unix.TCSETS, mode); err != nil {
		t.Fatal(err)
	}
	return person, program
}
