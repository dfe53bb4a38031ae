package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// Repaired is what a repair did.
type Repaired struct {
	engine.Repaired
	// Kept is where the ledger lies as it was found; "" when it was not damaged and nothing changed.
	Kept string `json:"kept,omitempty"`
}

// Repair asks the daemon of the ledger in o.State to leave and, if the ledger is damaged, puts a sound
// one in its place, with everything that can be saved. The damaged one is set aside and never deleted.
// Errors: not_found when there is no ledger; unavailable when another process uses it.
func Repair(ctx context.Context, o Options) (Repaired, error) {
	const op = "daemon.repair"
	if err := Stop(ctx, o.State); err != nil {
		return Repaired{}, err
	}
	found, err := Check(ctx, o)
	if err != nil && !fault.Is(err, fault.Unavailable) {
		return Repaired{}, err
	}
	if err == nil && found.Total == 0 {
		return Repaired{Repaired: engine.Repaired{Checked: found}}, nil
	}
	before, err := fingerprint(o.State)
	if err != nil {
		return Repaired{}, fault.Wrap(fault.Unavailable, op, err)
	}
	into, err := beside(o.State, "repair")
	if err != nil {
		return Repaired{}, err
	}
	answer, err := inChild(ctx, o, limits.Maintenance, hiddenRepair, o.State, into)
	if err == nil && answer.Repaired == nil {
		err = fault.New(fault.Internal, op, "the repair said nothing")
	}
	if errors.Is(err, errDied) {
		err = fault.New(fault.Corrupt, op, "the ledger cannot be repaired: %s", err).WithHint("restore a backup; the damaged ledger stays where it is")
	}
	if err != nil {
		return Repaired{}, errors.Join(err, os.RemoveAll(into))
	}
	kept, err := exchange(o, before, into)
	if err != nil {
		return Repaired{}, errors.Join(err, os.RemoveAll(into))
	}
	return Repaired{*answer.Repaired, kept}, nil
}

// exchange puts the new state directory in the place of the damaged one and returns where that is now.
func exchange(o Options, before, into string) (kept string, err error) {
	const op = "daemon.repair"
	kept = fmt.Sprintf("%s.damaged-%s", o.State, o.Env.Now().UTC().Format("20060102-150405"))
	if err := os.Rename(o.State, kept); err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	if now, err := fingerprint(kept); err != nil || now != before {
		return "", errors.Join(fault.New(fault.Unavailable, op, "another program used the ledger while it was repaired").
			WithHint("end it and run: ctxledger repair"), err, os.Rename(kept, o.State))
	}
	if err := os.Rename(into, o.State); err != nil {
		return "", errors.Join(fault.Wrap(fault.Unavailable, op, err), os.Rename(kept, o.State))
	}
	d, err := os.Open(filepath.Dir(o.State))
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	_ = d.Sync() // Windows cannot; elsewhere the renames are as durable as the system makes them
	return kept, fault.Wrap(fault.Unavailable, op, d.Close())
}

// fingerprint tells whether the file of records was written to.
func fingerprint(state string) (string, error) {
	info, err := os.Stat(filepath.Join(state, "ledger.db"))
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
}
