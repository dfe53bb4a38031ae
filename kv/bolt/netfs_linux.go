package bolt

import (
	"os"
	"syscall"
)

// networkFS returns the name of the network file system of d, or "". It accepts 9p, which sandboxes and
// virtual machines use for local disks.
func networkFS(d *os.File) (string, error) {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(d.Fd()), &st); err != nil {
		return "", os.NewSyscallError("fstatfs", err)
	}
	return networkName(uint32(st.Type)), nil
}

// networkName maps the magic number of statfs(2) to a name, or to "" for a local one.
func networkName(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517b:
		return "smb"
	case 0xfe534d42:
		return "smb2"
	case 0xff534d42:
		return "cifs"
	case 0x5346414f, 0x6b414653:
		return "afs"
	case 0x73757245:
		return "coda"
	case 0x564c:
		return "ncp"
	}
	return ""
}
