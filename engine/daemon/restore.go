package daemon

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/workspace"
)

// Restored says what was restored of a backup.
type Restored struct {
	upkeep.Checked
	Aside string `json:"aside,omitempty"` // state directory of the ledger that was there; "": none was
	Dry   bool   `json:"dry_run,omitempty"`
}

// RestoreBackup replaces the ledger of a workspace by the one in a backup, and keeps the replaced one aside. With dry it only
// reads and checks the backup. The backup is unpacked into a directory of its own and checked before anything is replaced, so
// that a damaged or foreign archive changes nothing. Errors: not_found, invalid for a file that is not a backup, corrupt, those
// of Adopt.
func RestoreBackup(ctx context.Context, o Options, file string, dry bool) (r Restored, err error) {
	const op = "daemon.restore"
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	dir := workspace.Aside(o.State, o.Env.Now())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, fault.Wrap(fault.Unavailable, op, err)
	}
	defer func() {
		if err != nil || dry {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := extract(ctx, file, dir); err != nil {
		return r, err
	}
	r.Dry = dry
	if r.Checked, err = checkClosed(ctx, o, dir); err != nil || dry {
		return r, err
	}
	if r.Total > 0 {
		return r, fault.New(fault.Corrupt, op, "%s is damaged: %s: %s", file, r.Damage[0].Where, r.Damage[0].What)
	}
	r.Aside, err = Adopt(ctx, o, dir)
	return r, err
}

// extract writes the files of a backup into an empty directory.
func extract(ctx context.Context, file, dir string) error {
	const op = "daemon.restore"
	f, _, err := safefs.OpenListed(file)
	if errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.NotFound, op, "no file %s", file)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer f.Close() // opened for reading
	root, err := safefs.OpenRoot(dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	defer root.Close() // each file in it is closed by itself
	found := false
	for r := tar.NewReader(f); ctx.Err() == nil; {
		h, err := r.Next()
		switch {
		case err == io.EOF && found:
			return nil
		case err == io.EOF || errors.Is(err, tar.ErrHeader) || err == io.ErrUnexpectedEOF && !found:
			return noBackup("%s is not a ledger backup", file)
		case err != nil:
			return fault.New(fault.Corrupt, op, "%s is damaged: %s", file, err)
		case h.Name != held.Ledger && !strings.HasPrefix(h.Name, "blobs/"):
			return noBackup("%s is not a ledger backup: it has %.200q", file, h.Name)
		}
		found = found || h.Name == held.Ledger
		if err := extractOne(root, h, r); err != nil {
			return fault.Wrap(fault.Unavailable, op, err)
		}
	}
	return fault.Wrap(fault.Unavailable, op, ctx.Err())
}

// noBackup is the error for a file that is none.
func noBackup(format string, args ...any) error {
	return fault.New(fault.Invalid, "daemon.restore", format, args...).
		WithHint("`ctxledger ledger backup FILE` writes one")
}

// extractOne writes a file or makes a directory of a backup.
func extractOne(root *os.Root, h *tar.Header, content io.Reader) error {
	name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
	if h.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o700)
	}
	if h.Typeflag != tar.TypeReg {
		return fault.New(fault.Invalid, "daemon.restore", "%.200q is neither a file nor a directory", h.Name)
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
