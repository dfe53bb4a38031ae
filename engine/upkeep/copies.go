package upkeep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
)

// copyPrefix starts the names of the copies of the file of records that are kept when it is migrated.
const copyPrefix = RecordsName + ".schema-"

// copyLife is how long such a copy is kept. It is a way back to the program of before, from which
// people turn away for good within days.
const copyLife = 30 * 24 * time.Hour

// DropCopies removes the copies that are older than life, and returns their size in bytes.
func (l *Upkeep) DropCopies(life time.Duration) (int64, error) {
	const op = "engine.copies"
	names, err := os.ReadDir(l.State)
	if err != nil {
		return 0, fault.Wrap(fault.Unavailable, op, err)
	}
	var freed int64
	for _, e := range names {
		if !strings.HasPrefix(e.Name(), copyPrefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && l.Now().Sub(info.ModTime()) < life {
			continue
		}
		if err == nil {
			err = os.Remove(filepath.Join(l.State, e.Name()))
		}
		if err != nil {
			return freed, fault.Wrap(fault.Unavailable, op, err)
		}
		freed += info.Size()
	}
	return freed, nil
}
