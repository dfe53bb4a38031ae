package bolt

import (
	"os"
	"syscall"
)

// networkFS returns the name of the network file system of d, or "".
func networkFS(d *os.File) (string, error) {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(d.Fd()), &st); err != nil {
		return "", os.NewSyscallError("fstatfs", err)
	}
	var name []byte
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	switch s := string(name); s {
	case "nfs", "smbfs", "afpfs", "webdav":
		return s, nil
	}
	return "", nil
}
