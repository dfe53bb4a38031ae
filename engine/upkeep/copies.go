package upkeep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv/held"
)

// copyPrefix starts the names of the copies of the file of records that migration keeps.
const copyPrefix = held.Ledger + ".schema-"

// copyLife is how long such a copy is kept, for a return to the previous version of the program. People who return
// do so within days.
const copyLife = 30 * 24 * time.Hour

// dropCopies removes the copies that are older than life, and returns their size in bytes.
func (l *Upkeep) dropCopies(life time.Duration) (int64, error) {
	const op = "engine.copies"
	names, err := os.ReadDir(l.core.State)
	if err != nil {
		return 0, fault.Wrap(fault.Unavailable, op, err)
	}
	var freed int64
	for _, e := range names {
		if !strings.HasPrefix(e.Name(), copyPrefix) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && l.core.Now().Sub(info.ModTime()) < life {
			continue
		}
		if err == nil {
			err = os.Remove(filepath.Join(l.core.State, e.Name()))
		}
		if err != nil {
			return freed, fault.Wrap(fault.Unavailable, op, err)
		}
		freed += info.Size()
	}
	return freed, nil
}

// dropTemporary removes what checks, repairs and backups left when they were killed, also what older versions left beside
// the state directory, and returns its size in bytes. all also removes what is in use. The caller maintains the ledger, so
// that no backup is under way.
func (l *Upkeep) dropTemporary(all bool) (int64, error) {
	inside, err := temporary.Clear(l.core.State, all, l.core.Now())
	beside, more := temporary.ClearBeside(l.core.State, l.core.Now())
	return inside.Bytes + beside.Bytes, errors.Join(err, more)
}
