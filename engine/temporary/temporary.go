package temporary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/safefs"
)

// Name is the directory for copies in a state directory.
const Name = "tmp"

// The kinds of copies.
const (
	Check  = "check"  // a snapshot that is checked
	Repair = "repair" // a ledger that a repair fills
	backup = "backup" // the name of an incomplete backup, which lies elsewhere
)

const (
	// longest is how long a copy is in use at most. An older one was left, whoever has the id of its process now.
	longest = 24 * time.Hour
	// idle is how long nothing was written to what an older version left beside the directory.
	idle = time.Minute
	// maxPath bounds the content of a note about a backup, in bytes.
	maxPath = 64 << 10
)

// Dir makes a private directory for a copy, on the file system of the ledger. Errors: unavailable.
func Dir(state, kind string) (string, error) {
	const op = "temporary.dir"
	if err := os.MkdirAll(filepath.Join(state, Name), 0o700); err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	dir, err := os.MkdirTemp(filepath.Join(state, Name), fmt.Sprintf("%s-%d-", kind, os.Getpid()))
	return dir, fault.Wrap(fault.Unavailable, op, err)
}

// Remove removes a copy. What cannot be removed now is removed by the next owner.
func Remove(dir string) {
	const tries = 3 // an owner may still be writing a snapshot into it
	for range tries {
		if os.RemoveAll(dir) == nil {
			return
		}
	}
}

// Note records that an incomplete backup is about to be written to a file, so that the next owner removes it if this
// process is killed. done removes the record. Errors: unavailable.
func Note(state, file string, e env.Env) (done func(), err error) {
	const op = "temporary.note"
	if err := os.MkdirAll(filepath.Join(state, Name), 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	note := filepath.Join(state, Name, fmt.Sprintf("%s-%d-%s", backup, os.Getpid(), e.ID(4)))
	if err := os.WriteFile(note, []byte(file), 0o600); err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	return func() { _ = os.Remove(note) }, nil // else the next owner removes it
}

// Cleared is what was removed.
type Cleared struct {
	Places []string // paths
	Bytes  int64
}

// Clear removes the copies of processes that have ended, for the owner of the ledger. all also removes those that are in
// use: their check or repair then fails, and nothing else. Errors: unavailable; what could be removed is removed.
func Clear(state string, all bool, now time.Time) (Cleared, error) {
	var c Cleared
	entries, err := os.ReadDir(filepath.Join(state, Name))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	for _, e := range entries {
		place := filepath.Join(state, Name, e.Name())
		kind, pid := parse(e.Name())
		// An owner makes a backup, and the caller is the owner now and makes none: whatever has the number is no owner.
		inUse := kind != backup && process.Alive(pid) && !olderThan(e, now, longest)
		if inUse && !all {
			continue
		}
		if kind == backup {
			err = errors.Join(err, c.partial(place))
		}
		err = errors.Join(err, c.remove(place))
	}
	return c, fault.Wrap(fault.Unavailable, "temporary.clear", err)
}

// parse takes the name of a copy apart; pid 0 is no process.
func parse(name string) (kind string, pid int) {
	kind, rest, _ := strings.Cut(name, "-")
	number, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	if err != nil {
		pid = 0
	}
	return kind, pid
}

// partial removes the incomplete backup that a note names.
func (c *Cleared) partial(note string) error {
	raw, err := safefs.ReadFile(note, maxPath)
	if err != nil {
		return err
	}
	if file := string(raw); filepath.IsAbs(file) && isPartial(file) {
		return c.remove(file)
	}
	return nil
}

// remove removes a place and counts it.
func (c *Cleared) remove(place string) error {
	if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	size := sizeOf(place)
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	c.Places, c.Bytes = append(c.Places, place), c.Bytes+size
	return nil
}

// sizeOf returns the bytes of the files in a place, for the report alone.
func sizeOf(place string) (size int64) {
	_ = filepath.WalkDir(place, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// olderThan reports whether an entry was not changed for some time.
func olderThan(e fs.DirEntry, now time.Time, life time.Duration) bool {
	info, err := e.Info()
	return err == nil && now.Sub(info.ModTime()) > life
}
