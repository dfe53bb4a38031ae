//go:build unix

package safefs

import "syscall"

// notBlocking opens without waiting for the other end of a pipe.
const notBlocking = syscall.O_NONBLOCK
