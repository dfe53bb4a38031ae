package bolt

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// dropOverride runs fn on a thread of its own without the capabilities to ignore permissions.
func dropOverride(t *testing.T, fn func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := dropCapabilities()
		if err == nil {
			fn()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skipf("cannot drop capabilities: %v", err)
	}
}

// dropCapabilities clears CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of the calling thread.
func dropCapabilities() error {
	header := struct {
		version uint32
		pid     int32
	}{version: 0x20080522}
	var data [2]struct{ effective, permitted, inheritable uint32 }
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&data)), 0)
	if e != 0 {
		return os.NewSyscallError("capget", e)
	}
	data[0].effective &^= 1<<1 | 1<<2
	_, _, e = syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&data)), 0)
	if e != 0 {
		return os.NewSyscallError("capset", e)
	}
	return nil
}
