package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"ctxledger.dev/internal/defect"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
)

const (
	maxLedgerBytes = 32 << 30 // payloads are blobs, so a larger file is a defect
	maxOpenTries   = 8        // after races that opening lost to other processes
)

// errReplaced says that another process exchanged the file while we waited for its lock.
var errReplaced = errors.New("ledger file was replaced while it was being opened")

// openLedger returns the locked, checked and mapped ledger file, creating it when there is none.
func openLedger(root *os.Root, wait time.Duration) (_ *ledgerFile, err error) {
	for range maxOpenTries {
		_, err = root.Lstat(ledgerName)
		if errors.Is(err, fs.ErrNotExist) {
			err = createLedger(root)
		}
		if err != nil {
			return nil, osError("kv.open", err)
		}
		f, err := lockLedger(root, wait)
		if errors.Is(err, errReplaced) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, osError("kv.open", err)
		}
		failpoint.Hit("kv.open.locked")
		db, err := mapLedger(root, f, wait)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err != nil {
			return nil, osError("kv.open", errors.Join(err, db.Close()))
		}
		return &ledgerFile{db: db, file: f, info: info}, nil
	}
	return nil, fault.Wrap(fault.Unavailable, "kv.open", err)
}

// lockLedger opens the ledger file and takes the owner lock on it.
func lockLedger(root *os.Root, wait time.Duration) (_ *os.File, err error) {
	f, info, err := openRegular(root, ledgerName, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err = tighten(f, info, fileMode); err == nil {
		err = takeLock(root, f, info, wait)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// openRegular opens a plain file without following a link and without waiting for anything.
func openRegular(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := checkRegular(before, name); err != nil {
		return nil, nil, err
	}
	f, info, err := safefs.OpenIn(root, name, flag)
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(info, before) {
		_ = f.Close() // nothing was written
		return nil, nil, errReplaced
	}
	return f, info, nil
}

// takeLock takes the owner lock on the ledger file, and checks that the file was not replaced meanwhile.
func takeLock(root *os.Root, f *os.File, info fs.FileInfo, wait time.Duration) error {
	if err := held.Take(f, wait); err != nil {
		return err
	}
	now, err := root.Lstat(ledgerName)
	if err == nil && !os.SameFile(info, now) {
		err = errReplaced
	}
	return err
}

// checkRegular refuses everything but a regular file: a link could lead out of the state directory, and
// opening a pipe would hang.
func checkRegular(info fs.FileInfo, name string) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink != 0:
		return fault.New(fault.Denied, "kv.open", "%s is a symbolic link", name).
			WithHint("move the real file into the state directory")
	case mode.IsDir():
		return fault.New(fault.Invalid, "kv.open", "%s is a directory, not a ledger", name).WithHint(hintState)
	default:
		return fault.New(fault.Invalid, "kv.open",
			"%s is a special file (%s), not a ledger", name, mode.Type()).WithHint(hintState)
	}
}

// mapLedger checks a locked file and opens it with bbolt.
func mapLedger(root *os.Root, f *os.File, wait time.Duration) (*bbolt.DB, error) {
	info, err := f.Stat()
	if err == nil {
		var m metaPage
		if m, err = readMeta(f, info.Size()); err == nil {
			err = checkPages(f, m)
		}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		if !held.Takes && held.Elsewhere(root) {
			return nil, held.Locked()
		}
		return nil, osError("kv.open", err)
	}
	db, err := openBolt(f, wait)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, held.Locked()
	}
	if defect.StaleOwner.Seeded() && err == nil {
		err = held.Release(f)
	}
	return db, osError("kv.open", err)
}

// openBolt opens bbolt on f and takes ownership of f, also when it fails.
func openBolt(f *os.File, wait time.Duration) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			_ = abandon(f) // the panic is the error to return
			db, err = nil, damaged("cannot be opened: %v", v)
		}
	}()
	db, err = bbolt.Open(ledgerName, fileMode, &bbolt.Options{
		OpenFile:        func(string, int, fs.FileMode) (*os.File, error) { return f, nil },
		Timeout:         max(wait, 0) + 50*time.Millisecond, // bbolt gives up this much early
		FreelistType:    bbolt.FreelistMapType,
		NoFreelistSync:  true,
		NoStatistics:    true,
		NoSync:          defect.SkipSync.Seeded(),
		InitialMmapSize: initialMap,
		MaxSize:         int(min(int64(maxLedgerBytes), math.MaxInt)),
	})
	return db, err
}

// abandon releases the lock of a file whose database cannot be closed. Closing the file is not enough: the remaining mapping
// keeps the file and its lock alive.
func abandon(f *os.File) error { return errors.Join(held.Release(f), f.Close()) }

// createLedger creates an empty ledger, unless another process does so first. It builds the file under a
// temporary name, so that a crash leaves no incomplete ledger.db.
func createLedger(root *os.Root) error {
	name, f, err := createTemp(root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Remove(name) }() // a leftover is removed by the next owner
	failpoint.Hit("kv.create.temp")
	db, err := openBolt(f, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(writeFormat), db.Close()); err != nil {
		return err
	}
	failpoint.Hit("kv.create.built")
	err = root.Link(name, ledgerName) // unlike a rename, never replaces another process's file
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil // another process is the owner already, and may have removed our temporary file
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "kv.open", fmt.Errorf("ledger cannot be put in place: %w", err))
	}
	failpoint.Hit("kv.create.linked")
	return syncRoot(root, ".")
}

// tempPrefix starts the names of unfinished ledger files.
const tempPrefix = ledgerName + ".new-"

// createTemp creates a temporary file in the state directory.
func createTemp(root *os.Root) (string, *os.File, error) {
	for i := range 1000 {
		name := fmt.Sprintf("%s%d", tempPrefix, i)
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
		if !errors.Is(err, fs.ErrExist) {
			return name, f, err
		}
	}
	return "", nil, fault.New(fault.Unavailable, "kv.open", "too many unfinished files %s*", tempPrefix).
		WithHint("remove them")
}

// syncRoot makes the entries of a directory below root durable.
func syncRoot(root *os.Root, name string) error {
	d, err := safefs.OpenDirIn(root, name)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncDir(d)
}
