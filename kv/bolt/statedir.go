package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
)

const (
	ledgerName = held.Ledger
	blobsName  = "blobs"
	dirMode    = 0o700
	fileMode   = 0o600
)

// openStateDir returns the state directory, created if need be, private and ours.
func openStateDir(dir string) (*os.Root, error) {
	if dir == "" {
		return nil, fault.New(fault.Invalid, "kv.open", "the state directory has no name")
	}
	if err := makeDir(dir); err != nil {
		err = osError("kv.open", err)
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Hint == "" {
			_ = e.WithHint(hintState) // another location avoids any error
		}
		return nil, err
	}
	root, err := safefs.OpenRoot(dir)
	if err != nil {
		return nil, osError("kv.open", err)
	}
	if err := checkStateDir(root); err != nil {
		_ = root.Close() // nothing was written through it
		return nil, err
	}
	return root, nil
}

// makeDir creates dir and its missing parents. It syncs each entry before it creates the next: a ledger is
// not durable while one of its parents is not.
func makeDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return fault.New(fault.Invalid, "kv.open", "state directory %q is not a directory", dir).WithHint(hintState)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		if errors.Is(err, fs.ErrExist) {
			if info, serr := os.Stat(dir); serr == nil && info.IsDir() {
				return nil // another process was faster
			}
			return fault.New(fault.Invalid, "kv.open", "state directory %q is a dangling symbolic link", dir).
				WithHint("remove the link, or create the directory it points to")
		}
		return err
	}
	d, err := safefs.OpenDir(parent)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncDir(d)
}

// checkStateDir refuses a directory that is not ours or cannot hold a ledger, and removes the permissions
// of other users.
func checkStateDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return osError("kv.open", err)
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil {
		return osError("kv.open", err)
	}
	if err := checkOwner(info, "the state directory"); err != nil {
		return err
	}
	if name, err := networkFS(d); err != nil {
		return osError("kv.open", err)
	} else if name != "" {
		return fault.New(fault.Denied, "kv.open",
			"the state directory is on a network file system (%s), where file locks cannot be trusted", name).
			WithHint(hintState)
	}
	if info.Mode().Perm()&^dirMode == 0 || !hasModes {
		return nil
	}
	if err := mayTighten(d, info); err != nil {
		return err
	}
	return osError("kv.open", d.Chmod(dirMode))
}

// mayTighten refuses to change the permissions of a directory that is not a state directory: the temporary
// directory, or a home directory that was named by mistake.
func mayTighten(d *os.File, info fs.FileInfo) error {
	names, err := d.Readdirnames(-1)
	if err != nil {
		return osError("kv.open", err)
	}
	if (len(names) == 0 || slices.Contains(names, ledgerName)) && info.Mode()&fs.ModeSticky == 0 {
		return nil
	}
	return fault.New(fault.Denied, "kv.open",
		"the state directory is open to others (mode %#o) and holds other files", info.Mode().Perm()).
		WithHint("use an empty directory, or make this one private with chmod 700")
}

// tighten refuses a file that is not ours, and removes the permissions of other users from it.
func tighten(f *os.File, info fs.FileInfo, mode fs.FileMode) error {
	if err := checkOwner(info, info.Name()); err != nil {
		return err
	}
	if !hasModes || info.Mode().Perm()&^mode == 0 {
		return nil
	}
	return osError("kv.open", f.Chmod(mode))
}
