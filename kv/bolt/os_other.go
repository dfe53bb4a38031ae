//go:build !unix

package bolt

import (
	"io/fs"
	"os"
)

// hasModes says that permission bits mean nothing here: the directory inherits the access
// list of the user's profile.
const hasModes = false

// initialMap is 0: on Windows bbolt would grow the file to the mapped size at once.
const initialMap = 0

// replacesOpen is false: Windows refuses to replace a file while it is mapped.
const replacesOpen = false

func checkOwner(fs.FileInfo, string) error { return nil }

// syncDir does nothing: a directory cannot be synced here.
func syncDir(*os.File) error { return nil }

func isReadOnly(error) bool { return false }

func lostWrite(error) bool { return false }
