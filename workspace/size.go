package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"ctxledger.dev/internal/safefs"
)

// EachFile calls do with the path below a state directory, with slashes, of each file in it, and what it takes on disk. It
// leaves out files that are deleted meanwhile. Errors: those of the system and of ctx.
func EachFile(ctx context.Context, state string, do func(name string, size int64)) error {
	return filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil // deleted in the meantime, or without a size of its own
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(state, path) // path is below state
		if rel == recordsName {             // the only one that may be sparse
			do(rel, safefs.OnDisk(info))
			return nil
		}
		do(filepath.ToSlash(rel), info.Size())
		return nil
	})
}
