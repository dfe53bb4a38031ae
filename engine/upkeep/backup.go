package upkeep

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
)

// Backup implements ledger.Housekeeping. The archive is complete and synced before it gets its name.
func (l *Upkeep) Backup(ctx context.Context, r ledger.BackupRequest) (ledger.BackedUp, error) {
	start := l.core.Env.Now()
	if err := l.checkPlace(r.File); err != nil {
		return ledger.BackedUp{}, err
	}
	done, err := l.maintain(ctx, "a backup")
	if err != nil {
		return ledger.BackedUp{}, err
	}
	defer done()
	temp := r.File + "." + l.core.Env.ID(4) + ".partial"
	noted, err := temporary.Note(l.core.State, temp, l.core.Env)
	if err != nil {
		return ledger.BackedUp{}, err
	}
	defer noted()
	err = l.writeBackup(ctx, temp, !r.RecordsOnly)
	var b ledger.BackedUp
	failpoint.Hit("engine.backup.written")
	if err == nil {
		b, err = readBackup(temp)
	}
	if err == nil {
		err = l.checkPlace(r.File)
	}
	if err == nil {
		err = backupError(errors.Join(os.Rename(temp, r.File), safefs.SyncDir(filepath.Dir(r.File))))
	}
	if err != nil {
		_ = os.Remove(temp) // err is the one to report
		return ledger.BackedUp{}, err
	}
	failpoint.Hit("engine.backup.renamed")
	b.File, b.Seconds = r.File, l.core.Env.Now().Sub(start).Seconds()
	return b, nil
}

// checkPlace refuses a file that a backup must not be written to.
func (l *Upkeep) checkPlace(file string) error {
	const op = "engine.backup"
	if !filepath.IsAbs(file) {
		return fault.New(fault.Invalid, op, "the path of the backup file %q is not absolute", file)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return fault.New(fault.Invalid, op, "no directory %s", filepath.Dir(file)).WithHint("create it first")
	}
	state, err := filepath.EvalSymlinks(l.core.State)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	rel, err := filepath.Rel(state, dir)
	if err == nil && filepath.IsLocal(rel) && filepath.Dir(rel) != temporary.Name { // where a check has its snapshot
		return fault.New(fault.Invalid, op, "%s is inside the state directory that is being backed up", file).
			WithHint("use a path elsewhere, ideally another disk")
	}
	if _, err := os.Lstat(file); err == nil {
		return fault.New(fault.Conflict, op, "%s exists", file).WithHint("name another file, or remove that one")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return backupError(err)
	}
	return nil
}

// writeBackup writes the archive into a new file of our own.
func (l *Upkeep) writeBackup(ctx context.Context, file string, blobs bool) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return backupError(err)
	}
	err = l.core.Store.Backup(ctx, f, blobs)
	if err == nil {
		err = f.Sync()
	}
	return backupError(errors.Join(err, f.Close()))
}

// readBackup checks that an archive can be unpacked, by reading all its headers.
func readBackup(file string) (b ledger.BackedUp, err error) {
	f, _, err := safefs.OpenListed(file)
	if err != nil {
		return b, backupError(err)
	}
	defer f.Close() // opened for reading
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			info, err := f.Stat()
			if err != nil {
				return b, backupError(err)
			}
			b.Bytes = info.Size()
			return b, nil
		}
		switch {
		case err != nil:
			return b, backupError(err)
		case h.Name == held.Ledger:
			b.Records = h.Size
		case h.Typeflag == tar.TypeReg:
			b.Blobs++
		}
	}
}

// backupError gives an error of the file its code.
func backupError(err error) error {
	const op = "engine.backup"
	switch f, ok := errors.AsType[*fault.Error](err); {
	case err == nil:
		return nil
	case ok:
		return f
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Denied, op, err)
	}
	return fault.Wrap(fault.Unavailable, op, err)
}
