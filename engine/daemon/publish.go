package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
)

const (
	spareName = "owner.spare" // the file that becomes the next owner.json
	blank     = "{}\n"        // the content of a spare file
)

// publish replaces owner.json atomically. Only the holder of the ledger's lock may call it.
//
// It works on a full disk too, where reading and deleting must stay possible: it reuses the blocks of the
// file that the last owner left, as owner.json or under spareName. If the rename fails, it overwrites
// owner.json in place: a client that reads half of it sees a missing owner, and tries again.
func publish(o link.Owner, state string) error {
	const op = "daemon.publish"
	content, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, op, err)
	}
	path, spare := filepath.Join(state, link.OwnerName), filepath.Join(state, spareName)
	if err := clearWay(path); err != nil {
		return err
	}
	err = overwrite(spare, os.O_CREATE, append(content, '\n'))
	failpoint.Hit("daemon.publish.written")
	if err == nil {
		err = os.Rename(spare, path)
	}
	failpoint.Hit("daemon.publish.renamed")
	if err == nil {
		return nil
	}
	_ = os.Remove(spare) // it may be incomplete
	if overwrite(path, 0, append(content, '\n')) == nil {
		return nil
	}
	f := &fault.Error{Code: fault.Unavailable, Op: op, Err: err}
	if safefs.Full(err) {
		f.Code = fault.Full
		return f.WithHint("free a few KB on the state directory's disk")
	}
	return f
}

// overwrite writes a private file of the state directory in place, so that it needs no new blocks. It
// removes anything that is not a regular file; flag may be os.O_CREATE.
func overwrite(path string, flag int, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Truncate(int64(len(content))))
	}
	return errors.Join(err, f.Close())
}

// clearWay removes an empty directory at path, which would prevent publishing.
func clearWay(path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err := os.Remove(path); err != nil {
			return fault.New(fault.Invalid, "daemon.publish", "%s is a directory", path).
				WithHint("remove it: only the ledger's owner writes there")
		}
	}
	return nil
}

// withdraw removes owner.json if it is still o's: the directory may have been replaced. It keeps the file,
// blank, as the spare of the next owner.
func withdraw(o link.Owner, state string) error {
	if now, err := link.ReadOwner(state); err != nil || now.Token != o.Token {
		return nil
	}
	path, spare := filepath.Join(state, link.OwnerName), filepath.Join(state, spareName)
	err := os.Rename(path, spare)
	if err == nil {
		err = overwrite(spare, 0, []byte(blank))
	}
	return fault.Wrap(fault.Unavailable, "daemon.withdraw", err)
}
