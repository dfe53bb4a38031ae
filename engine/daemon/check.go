package daemon

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
)

// Check reports what is wrong with the ledger in o.State. If a daemon owns it, the daemon keeps running
// and Check reads a snapshot that it makes. Nothing is started or changed. Errors: not_found when there
// is no ledger; unavailable when it cannot be read in time, or when a process that is no daemon owns it.
func Check(ctx context.Context, o Options) (upkeep.Checked, error) {
	if _, err := os.Stat(filepath.Join(o.State, held.Ledger)); errors.Is(err, fs.ErrNotExist) {
		return upkeep.Checked{}, fault.New(fault.NotFound, "daemon.check", "no ledger in %s yet", o.State)
	}
	s, err := Status(ctx, o.State)
	if err != nil {
		return upkeep.Checked{}, err
	}
	if !s.Running {
		return checkClosed(ctx, o, o.State)
	}
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	dir, err := temporary.Dir(o.State, temporary.Check)
	if err != nil {
		return upkeep.Checked{}, err
	}
	defer temporary.Remove(dir) // it holds only copies and links
	err = snapshot(ctx, o, dir)
	if fault.Is(err, fault.Corrupt) { // damage that prevents a snapshot is the finding
		return damagedIn(held.Ledger, err.Error()), nil
	}
	if err != nil {
		return upkeep.Checked{}, err
	}
	return checkClosed(ctx, o, dir)
}

// checkClosed checks a ledger that no process has open.
func checkClosed(ctx context.Context, o Options, state string) (upkeep.Checked, error) {
	answer, err := inChild(ctx, o, limits.Maintenance, hiddenCheck, state)
	switch {
	case errors.Is(err, errDied):
		return damagedIn(held.Ledger, err.Error()), nil
	case err != nil:
		return upkeep.Checked{}, err
	case answer.Checked == nil:
		return upkeep.Checked{}, fault.New(fault.Internal, "daemon.check", "the check returned no result")
	}
	return *answer.Checked, nil
}

// damagedIn is the result of a check that could not be completed.
func damagedIn(where, what string) upkeep.Checked {
	return upkeep.Checked{Damage: []upkeep.Finding{{Where: where, What: what}}, Total: 1}
}

// snapshot copies the ledger that a daemon owns into dir. Blobs are hard links, made before and after the
// records are copied, so that every blob that a record references is there.
func snapshot(ctx context.Context, o Options, dir string) error {
	o.NoSpawn, o.InProcess = true, false
	api, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer api.Close() // nothing was written
	blobs, archive := filepath.Join(o.State, "blobs"), filepath.Join(dir, "records.tar")
	if err := linkAll(ctx, blobs, filepath.Join(dir, "blobs")); err != nil {
		return err
	}
	if _, err := api.Backup(ctx, ledger.BackupRequest{File: archive, RecordsOnly: true}); err != nil {
		return err
	}
	if err := linkAll(ctx, blobs, filepath.Join(dir, "blobs")); err != nil {
		return err
	}
	return fault.Wrap(fault.Unavailable, "daemon.snapshot", unpackRecords(archive, filepath.Join(dir, held.Ledger)))
}

// linkAll hard-links the files below one directory into another one.
func linkAll(ctx context.Context, from, to string) error {
	err := eachFile(from, func(rel string) error {
		name := filepath.Join(to, rel)
		if err := errors.Join(ctx.Err(), os.MkdirAll(filepath.Dir(name), 0o700)); err != nil {
			return err
		}
		if err := os.Link(filepath.Join(from, rel), name); !errors.Is(err, fs.ErrExist) {
			return ignoreMissing(err)
		}
		return nil
	})
	return fault.Wrap(fault.Unavailable, "daemon.snapshot", err)
}

// ignoreMissing returns err, or nil when it says that a file does not exist: it was deleted meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unpackRecords extracts the file of records from a backup, and deletes the backup.
func unpackRecords(archive, file string) (err error) {
	f, _, err := safefs.OpenListed(archive)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading
	r := tar.NewReader(f)
	if _, err := r.Next(); err != nil {
		return err
	}
	w, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close(), f.Close(), os.Remove(archive))
}
