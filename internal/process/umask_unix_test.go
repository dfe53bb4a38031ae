//go:build unix

package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAUmaskLeavesTheOwnersRights: under umask 777 a program could not open what it had made, unless it was root.
func TestAUmaskLeavesTheOwnersRights(t *testing.T) {
	before := syscall.Umask(0o777)
	defer syscall.Umask(before)
	for umask, mode := range map[int]os.FileMode{0o777: 0o600, 0o027: 0o640, 0: 0o666} {
		syscall.Umask(umask)
		KeepOwnAccess()
		path := filepath.Join(t.TempDir(), "file")
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if f.Close(); err != nil || info.Mode().Perm() != mode {
			t.Errorf("umask %03o: %v, %v, want %v", umask, info.Mode(), err, mode)
		}
	}
}
