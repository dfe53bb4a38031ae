package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
)

// Repaired is the result of a repair.
type Repaired struct {
	upkeep.Repaired
	// Kept is the directory with the damaged ledger; "" when it was not damaged and nothing changed.
	Kept string `json:"kept,omitempty"`
}

// Repair stops the daemon of the ledger in o.State and, if the ledger is damaged, replaces it with a sound
// one that has everything that can be saved. The damaged ledger is moved and never deleted.
// Errors: not_found when there is no ledger; unavailable when another process uses it.
func Repair(ctx context.Context, o Options) (Repaired, error) {
	const op = "daemon.repair"
	if err := link.Stop(ctx, o.State); err != nil {
		return Repaired{}, err
	}
	found, err := Check(ctx, o)
	if err != nil && !fault.Is(err, fault.Unavailable) {
		return Repaired{}, err
	}
	if err == nil && found.Total == 0 {
		return Repaired{Repaired: upkeep.Repaired{Checked: found}}, nil
	}
	before, err := fingerprint(o.State)
	if err != nil {
		return Repaired{}, fault.Wrap(fault.Unavailable, op, err)
	}
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	into, err := temporary.Dir(o.State, temporary.Repair)
	if err != nil {
		return Repaired{}, err
	}
	defer temporary.Remove(into) // exchange has moved what is needed
	answer, err := inChild(ctx, o, limits.Maintenance, hiddenRepair, o.State, into)
	switch {
	case errors.Is(err, errDied):
		return Repaired{}, fault.New(fault.Corrupt, op, "the ledger cannot be repaired: %s", err).
			WithHint("restore a backup; the damaged ledger stays where it is")
	case err != nil:
		return Repaired{}, err
	case answer.Repaired == nil:
		return Repaired{}, fault.New(fault.Internal, op, "the repair returned no result")
	}
	kept := temporary.Kept(o.State, o.Env.Now())
	if err := exchange(ctx, o.State, before, into, kept); err != nil {
		return Repaired{}, fault.Wrap(fault.Unavailable, op, err)
	}
	return Repaired{*answer.Repaired, kept}, nil
}

// exchange replaces the records and blobs of the damaged ledger with those of the repaired one, after it
// has hard-linked the damaged files into kept. The records are replaced last, atomically: a crash before
// that leaves the damaged ledger as it was, a crash after it the repaired one.
func exchange(ctx context.Context, state, before, into, kept string) error {
	if err := os.Mkdir(kept, 0o700); err != nil {
		return err
	}
	damaged, sound := filepath.Join(state, "blobs"), filepath.Join(into, "blobs")
	err := errors.Join(linkAll(ctx, damaged, filepath.Join(kept, "blobs")),
		os.Link(filepath.Join(state, held.Ledger), filepath.Join(kept, held.Ledger)),
		safefs.SyncDir(kept), safefs.SyncDir(filepath.Dir(kept)))
	if err != nil {
		return errors.Join(err, os.RemoveAll(kept)) // it holds only links
	}
	whole := map[string]bool{}
	err = eachFile(sound, func(rel string) error {
		whole[rel] = true
		if err := os.MkdirAll(filepath.Dir(filepath.Join(damaged, rel)), 0o700); err != nil {
			return err
		}
		return os.Rename(filepath.Join(sound, rel), filepath.Join(damaged, rel))
	})
	if err != nil {
		return err
	}
	if now, err := fingerprint(state); err != nil || now != before {
		used := fault.New(fault.Unavailable, "daemon.repair", "another program used the ledger while it was being repaired")
		return errors.Join(used.WithHint("stop it and run: ctxledger ledger repair"), err)
	}
	if err := os.Rename(filepath.Join(into, held.Ledger), filepath.Join(state, held.Ledger)); err != nil {
		return err
	}
	err = eachFile(damaged, func(rel string) error {
		if whole[rel] {
			return nil
		}
		return os.Remove(filepath.Join(damaged, rel))
	})
	return errors.Join(err, safefs.SyncDir(state))
}

// eachFile calls fn with the relative path of every file below a directory.
func eachFile(dir string, fn func(rel string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreMissing(err)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return fn(rel)
	})
}

// fingerprint changes when the file of records is written to.
func fingerprint(state string) (string, error) {
	info, err := os.Stat(filepath.Join(state, held.Ledger))
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
}
