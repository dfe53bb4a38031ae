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
	case !isOwn(link, info):
		err = fault.New(fault.Denied, "safefs.link", "a link from or to another user: not followed")
	case info.IsDir() && strings.HasPrefix(above+string(filepath.Separator), below):
		err = fault.New(fault.Invalid, "safefs.link", "a link to a directory above it is not followed")
	}
	return real, info, err
}

// OpenTarget is OpenListed for what Target finds behind a link. Errors: those of both; invalid if the link or what it leads
// to is being replaced.
func OpenTarget(path string) (*os.File, fs.FileInfo, error) {
	real, info, err := Target(path)
	if err != nil {
		return nil, nil, err
	}
	f, opened, err := OpenListed(real)
	if err != nil {
		return nil, nil, err
	}
	if real == path || !os.SameFile(info, opened) {
		_ = f.Close() // nothing was read
		return nil, nil, replaced(path)
	}
	return f, opened, nil
}

// OpenTargetTree is Open for a directory that Target finds behind a link. Errors: as OpenTarget.
func OpenTargetTree(path string) (*Tree, error) {
	real, info, err := Target(path)
	if err != nil {
		return nil, err
	}
	t, err := Open(real)
	if err != nil {
		return nil, err
	}
	if opened, err := t.root.Stat("."); err != nil || real == path || !os.SameFile(info, opened) {
		_ = t.Close() // nothing was read
		return nil, replaced(path)
	}
	return t, nil
}

func replaced(path string) error {
	return fault.New(fault.Invalid, "safefs.link", "%s is being replaced", path)
}
