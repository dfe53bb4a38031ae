package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"ctxledger.dev/internal/safefs"
)

// tightenTree removes the permissions of other users from everything below a directory, depth levels deep,
// except links. It continues after errors and returns them joined; check reports them too.
func tightenTree(root *os.Root, dir string, depth int) (err error) {
	if !hasModes {
		return nil
	}
	d, err := safefs.OpenDirIn(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	err = errors.Join(err, d.Close())
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		err = errors.Join(err, tightenOne(root, name))
		if e.IsDir() && depth > 1 {
			err = errors.Join(err, tightenTree(root, name, depth-1))
		}
	}
	return err
}

// tightenOne removes the permissions of other users from a file or a directory.
func tightenOne(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	mode := fs.FileMode(fileMode)
	switch {
	case info.IsDir():
		mode = dirMode
	case !info.Mode().IsRegular():
		return nil
	}
	if info.Mode().Perm()&^mode == 0 {
		return nil
	}
	return root.Chmod(name, info.Mode().Perm()&mode)
}

// The levels of a state directory: its entries with those of log, exports and blobs; and all blobs.
const (
	openLevels = 2
	allLevels  = 8
)

// Tighten implements kv.Watched, for everything in the state directory.
func (s *Store) Tighten() error {
	err := tightenOne(s.root, ".")
	return osError("kv.tighten", errors.Join(err, tightenTree(s.root, ".", allLevels)))
}
