package temporary

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/safefs"
)

// Name is the directory for copies in a state directory.
const Name = "tmp"

// The kinds of copies.
const (
	Check  = "check"  // a snapshot that is checked
	Repair = "repair" // a ledger that a repair fills
	Replay = "replay" // a ledger into which a session is played
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

// place returns the directory for copies. It refuses a link: what is in the directory that it leads to is not ours to
// remove.
func place(state string) (string, error) {
	dir := filepath.Join(state, Name)
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fault.New(fault.Unavailable, "temporary.place", "%s is not a directory, and copies are made in "+
			"one", dir).
			WithHint("remove it: it is recreated")
	}
	return dir, err
}

// made is place, which it makes if it is missing.
func made(state string) (string, error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(state, Name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return place(state)
}

// Dir makes a private directory for a copy, on the file system of the ledger. Errors: unavailable.
func Dir(state, kind string) (string, error) {
	const op = "temporary.dir"
	all, err := made(state)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	dir, err := os.MkdirTemp(all, fmt.Sprintf("%s-%d-", kind, os.Getpid()))
	return dir, fault.Wrap(fault.Unavailable, op, err)
}

// Scratch makes a private directory for a replay: in a state directory or, without one and where it cannot be written, in
// temp, where nobody removes what a killed process left. Errors: unavailable.
func Scratch(state, temp string) (string, error) {
	if state != "" {
		if dir, err := Dir(state, Replay); err == nil {
			return dir, nil
		}
	}
	dir, err := os.MkdirTemp(temp, "ctxledger-replay-*")
	return dir, fault.Wrap(fault.Unavailable, "temporary.scratch", err)
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
	all, err := made(state)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	note := filepath.Join(all, fmt.Sprintf("%s-%d-%s", backup, os.Getpid(), e.ID(4)))
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
// use: their work then fails, and nothing else. Errors: unavailable; what could be removed is removed.
func Clear(state string, all bool, now time.Time) (Cleared, error) {
	var c Cleared
	err := each(state, func(e fs.DirEntry, place, kind string, pid int) error {
		// An owner makes a backup, and the caller is the owner now and makes none: whatever has the number is no owner.
		inUse := kind != backup && process.Alive(pid) && !olderThan(e, now, longest)
		if inUse && !all {
			return nil
		}
		if kind == backup {
			file, err := noted(place)
			if err != nil {
				return nil // see Unreached
			}
			if err := c.remove(file); err != nil {
				return err
			}
		}
		return c.remove(place)
	})
	return c, fault.Wrap(fault.Unavailable, "temporary.clear", err)
}

// Unreached returns the incomplete backups that are noted and of which is not known whether they are still there: on a disk
// that is not connected. Errors: unavailable.
func Unreached(state string) (files []string, err error) {
	err = each(state, func(_ fs.DirEntry, place, kind string, _ int) error {
		if kind == backup {
			if file, err := noted(place); err != nil {
				files = append(files, cmp.Or(file, place))
			}
		}
		return nil
	})
	return files, fault.Wrap(fault.Unavailable, "temporary.unreached", err)
}

// each calls fn for every copy and note, and for nothing else that may lie beside them.
func each(state string, fn func(e fs.DirEntry, place, kind string, pid int) error) error {
	dir, err := place(state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := copyName().FindStringSubmatch(e.Name()); name != nil {
			pid, _ := strconv.Atoi(name[2]) // one that is too large is no process either
			err = errors.Join(err, fn(e, filepath.Join(dir, e.Name()), name[1], pid))
		}
	}
	return err
}

// copyName is the name of a copy or a note: its kind, the process that made it, and a random part.
var copyName = pattern.Lazy(`^(` + Check + `|` + Repair + `|` + Replay + `|` + backup + `)-([0-9]+)-[0-9a-f]+$`)

// noted returns the incomplete backup that a note names, "" if it is gone. An error says that this is not known.
func noted(note string) (file string, err error) {
	raw, err := safefs.ReadFile(note, maxPath)
	if err != nil {
		return "", err
	}
	file = string(raw)
	if !filepath.IsAbs(file) {
		return "", nil
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return file, err
	}
	if partial, err := isPartial(file); err != nil || partial {
		return file, err
	}
	return "", nil
}

// remove removes a place and counts it.
func (c *Cleared) remove(place string) error {
	if _, err := os.Lstat(place); place == "" || errors.Is(err, fs.ErrNotExist) {
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
