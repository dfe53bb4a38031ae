package daemon

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
)

// Check says what is wrong with the ledger in o.State. A daemon that owns it goes on working: what is
// checked is then a snapshot that it makes. Nothing is started and nothing changed. Errors: not_found
// when there is no ledger; unavailable when it cannot be read in time, or another process than a
// daemon owns it.
func Check(ctx context.Context, o Options) (upkeep.Checked, error) {
	if _, err := os.Stat(filepath.Join(o.State, "ledger.db")); errors.Is(err, fs.ErrNotExist) {
		return upkeep.Checked{}, fault.New(fault.NotFound, "daemon.check", "there is no ledger in %s yet", o.State)
	}
	s, err := Status(ctx, o.State)
	if err != nil {
		return upkeep.Checked{}, err
	}
	if !s.Running {
		return checkClosed(ctx, o, o.State)
	}
	dir, err := beside(o.State, "check")
	if err != nil {
		return upkeep.Checked{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it holds nothing of its own
	err = snapshot(ctx, o, dir)
	if fault.Is(err, fault.Corrupt) { // no snapshot can be made of it, which says enough
		return damagedIn("ledger.db", err.Error()), nil
	}
	if err != nil {
		return upkeep.Checked{}, err
	}
	return checkClosed(ctx, o, dir)
}

// checkClosed checks a ledger that nobody has open.
func checkClosed(ctx context.Context, o Options, state string) (upkeep.Checked, error) {
	answer, err := inChild(ctx, o, limits.Maintenance, hiddenCheck, state)
	switch {
	case errors.Is(err, errDied):
		return damagedIn("ledger.db", err.Error()), nil
	case err != nil:
		return upkeep.Checked{}, err
	case answer.Checked == nil:
		return upkeep.Checked{}, fault.New(fault.Internal, "daemon.check", "the check said nothing")
	}
	return *answer.Checked, nil
}

// damagedIn is the result of a check that could not be ended.
func damagedIn(where, what string) upkeep.Checked {
	return upkeep.Checked{Damage: []upkeep.Finding{{Where: where, What: what}}, Total: 1}
}

// snapshot makes a directory a ledger like the one that a daemon owns. Its blobs are further names of
// the files that there are: before and after the records are read, so that each is there that they
// name.
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
	return fault.Wrap(fault.Unavailable, "daemon.snapshot", unpackRecords(archive, filepath.Join(dir, "ledger.db")))
}

// linkAll gives the blobs below a directory further names below another one.
func linkAll(ctx context.Context, from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return ignoreMissing(err)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		name := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(name, 0o700)
		}
		if err := os.Link(path, name); !errors.Is(err, fs.ErrExist) {
			return ignoreMissing(err)
		}
		return nil
	})
	return fault.Wrap(fault.Unavailable, "daemon.snapshot", err)
}

// ignoreMissing takes a file that has gone in the meantime for one that never was.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unpackRecords takes the file of records out of a backup.
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
