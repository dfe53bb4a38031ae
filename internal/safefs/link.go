package safefs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/fault"
)

// Target returns where a path leads that was found in a directory, and what is there: the path itself, unless it is a
// symbolic link. Links are followed from the user's own to a file or directory of the user, and not to a directory above
// the link, in which everything would be found again. Errors: denied and invalid for other links, with what they lead to;
// those of the system.
func Target(path string) (real string, info fs.FileInfo, err error) {
	link, err := os.Lstat(path)
	if err != nil || link.Mode()&fs.ModeSymlink == 0 {
		return path, link, err
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, err
	}
	if info, err = os.Lstat(real); err != nil {
		return "", nil, err
	}
	above, err := filepath.EvalSymlinks(filepath.Dir(path))
	below := strings.TrimSuffix(real, string(filepath.Separator)) + string(filepath.Separator)
	switch {
	case err != nil:
	case !Owned(link) || !Owned(info):
		err = fault.New(fault.Denied, "safefs.link", "a link to what belongs to another user is not followed")
	case info.IsDir() && strings.HasPrefix(above+string(filepath.Separator), below):
		err = fault.New(fault.Invalid, "safefs.link", "a link to a directory above it is not followed")
	}
	return real, info, err
}
