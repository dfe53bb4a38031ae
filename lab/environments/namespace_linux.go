package main

import (
	"os"
	"syscall"
)

// everyUser is how many users there are, of those that tests know.
const everyUser = 65536

// userNamespace lets a process lower limits of its own. Root keeps all users there; others are root there, and alone.
func userNamespace() *syscall.SysProcAttr {
	users := func(id int) []syscall.SysProcIDMap {
		if id == 0 {
			return []syscall.SysProcIDMap{{Size: everyUser}}
		}
		return []syscall.SysProcIDMap{{HostID: id, Size: 1}}
	}
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: users(os.Getuid()),
		GidMappings: users(os.Getgid()), GidMappingsEnableSetgroups: os.Getuid() == 0}
}
