//go:build unix

package process

import "syscall"

// KeepOwnAccess lets the owner of files that this process makes have what was asked for them: a umask that takes the
// owner's own rights would have a program make directories and files that it cannot open again. What the umask takes
// from others it takes still. A program calls it first, before any goroutine makes a file.
func KeepOwnAccess() {
	const own = 0o700
	syscall.Umask(syscall.Umask(0o077) &^ own)
}
