package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// look returns what the system says about a process; false if there is none.
func look(pid int) (facts, bool) {
	if pid <= 0 {
		return facts{}, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return facts{}, false
	}
	began := time.Unix(info.Proc.P_starttime.Unix()).UTC()
	return facts{int(info.Eproc.Ppid), began.Format(time.ANSIC)}, true
}
