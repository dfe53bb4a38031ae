//go:build unix

package observe

import "syscall"

func mkfifo(f string) error { return syscall.Mkfifo(f, 0o600) }
