package bolt

import (
	"os"
	"testing"
)

func TestNetworkFileSystemsAreKnownByTheirMagic(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0x517b: "smb", 0xff534d42: "cifs", 0xfe534d42: "smb2", 0x5346414f: "afs",
		// ext4, XFS, Btrfs, tmpfs, overlay, 9p
		0xef53: "", 0x58465342: "", 0x9123683e: "", 0x01021994: "", 0x794c7630: "", 0x01021997: "",
	} {
		if got := networkName(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
	d, err := os.Open(t.TempDir())
	must(t, err)
	defer d.Close()
	if name, err := networkFS(d); name != "" || err != nil {
		t.Errorf("the temporary directory is on %q, %v", name, err)
	}
}
