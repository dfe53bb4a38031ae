package temporary

import (
	"archive/tar"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
)

// damaged is between the name of a state directory and the time, in the name of the ledger that a repair kept.
const damaged = ".damaged-"

// Kept returns the name for the damaged ledger that a repair keeps beside a state directory.
func Kept(state string, at time.Time) string {
	return state + damaged + at.UTC().Format("20060102-150405")
}

// Damaged returns the damaged ledgers that repairs kept. Errors: unavailable.
func Damaged(state string) (dirs []string, err error) {
	err = beside(state, func(e fs.DirEntry, place string) error {
		if e.IsDir() && strings.HasPrefix(e.Name(), filepath.Base(state)+damaged) {
			dirs = append(dirs, place)
		}
		return nil
	})
	return dirs, err
}

// partialName is the end of the name of an incomplete backup.
var partialName = pattern.Lazy(`\.[0-9a-f]{8}\.partial$`)

// ClearBeside removes the copies and incomplete backups that older versions left beside a state directory and that nothing
// was written to for a minute. Errors: unavailable.
func ClearBeside(state string, now time.Time) (Cleared, error) {
	var c Cleared
	base := filepath.Base(state)
	err := beside(state, func(e fs.DirEntry, place string) error {
		copied := e.IsDir() && (isNumbered(e.Name(), "."+base+"-check-") || isNumbered(e.Name(), "."+base+"-repair-"))
		if !copied && e.Type().IsRegular() {
			copied, _ = isPartial(place) // what cannot be looked at stays
		}
		if !copied || !olderThan(e, now, idle) {
			return nil
		}
		return c.remove(place)
	})
	return c, err
}

// beside calls fn for everything beside a state directory.
func beside(state string, fn func(e fs.DirEntry, place string) error) error {
	parent := filepath.Dir(state)
	entries, err := os.ReadDir(parent)
	for _, e := range entries {
		err = errors.Join(err, fn(e, filepath.Join(parent, e.Name())))
	}
	return fault.Wrap(fault.Unavailable, "temporary.beside", err)
}

// isNumbered reports whether a name is a prefix and a number.
func isNumbered(name, prefix string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// isPartial reports whether a file is a backup that was not finished: by its name, and by its first bytes, where it has
// any. An error says that it could not be looked at.
func isPartial(file string) (bool, error) {
	if !partialName().MatchString(file) {
		return false, nil
	}
	f, info, err := safefs.OpenListed(file)
	if errors.Is(err, fs.ErrNotExist) || fault.Is(err, fault.Invalid) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // opened for reading
	h, err := tar.NewReader(f).Next()
	return info.Size() == 0 || err == nil && h.Name == held.Ledger, nil
}
