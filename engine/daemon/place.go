package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// placeEvery is how often an owner records what its ledger holds, if that changed.
const placeEvery = time.Minute

// checkPlace refuses a ledger that was made for another repository than the one at its root now. Errors: denied.
func checkPlace(e env.Env, state, root string) error {
	if root == "" {
		return nil
	}
	return workspace.Check(e, state, root)
}

// keepPlace is the task that records which directory the ledger is of and what it holds, at the start, while it changes,
// and at the end.
func (d *daemon) keepPlace(ctx context.Context, api ledger.API, p *pulse.Pulse) error {
	if d.config.Workspace == "" {
		return nil
	}
	before := ""
	record := func() error {
		now, err := fingerprint(d.config.State)
		if err != nil || now == before {
			return nil // the watch says what is wrong with the directory
		}
		if err := recordPlace(ctx, d.config.Env, d.config.State, d.config.Workspace, api); err != nil {
			d.log.Warn("place", "error", err.Error())
		}
		before = now
		return nil
	}
	if err := every(ctx, placeEvery, p, record); err != nil {
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.TaskEnd/2)
	defer cancel()
	ctx = last
	return record()
}

// recordPlace records where the ledger in a state directory is used, and what it holds. Errors: those of asking the ledger,
// and of writing.
func recordPlace(ctx context.Context, e env.Env, state, root string, api ledger.API) error {
	left, _ := filepath.Glob(filepath.Join(state, "."+workspace.PlaceName+".*")) // by killed processes
	for _, name := range left {
		_ = os.Remove(name) // else the next owner does
	}
	info, err := api.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return err
	}
	p := workspace.ReadPlace(state).At(ctx, e, root)
	p.Sessions, p.Memories, p.Bytes = info.Sessions, info.Memories, info.Bytes
	p.Used = e.Now().UTC().Truncate(time.Second)
	here, ok := api.(kv.Watched)
	if ok && here.CheckLocation() != nil || checkPlace(e, state, root) != nil {
		return nil // what is known of the ledger does not hold for what is there now
	}
	return p.Write(state)
}

// Adopt makes the ledger in the state directory from that of o's workspace; "" begins a new one. A ledger that the workspace
// has is set aside and stays as it is. It ends the daemons of both. A process that is killed at any instant leaves both
// ledgers whole: the workspace then has the one or the other, or none yet. Errors: unavailable when a process uses one of
// them, or the system refuses.
func Adopt(ctx context.Context, o Options, from string) (aside string, err error) {
	const op = "daemon.adopt"
	if from != o.State { // else it is kept for another repository at the same path
		for _, state := range []string{o.State, from} {
			if state == "" {
				continue
			}
			if err := link.Stop(ctx, state); err != nil {
				return "", err
			}
			if held.Held(state) {
				return "", fault.Wrap(fault.Unavailable, op, held.Locked())
			}
		}
		aside = workspace.Aside(o.State, o.Env.Now())
		for _, step := range adoption(o, from, aside) {
			if err := step(); err != nil {
				return "", fault.Wrap(fault.Unavailable, op, err)
			}
		}
	}
	if !held.Exists(aside) {
		aside = ""
	}
	if from == "" {
		return aside, nil
	}
	p := workspace.ReadPlace(o.State).Moved(o.Workspace)
	p.Commit, p.Remote = "", "" // those of the repository that is here now
	return aside, p.At(ctx, o.Env, o.Workspace).Write(o.State)
}

// adoption returns the steps of Adopt, none of which leaves anything incomplete. A process that opened one of the ledgers
// meanwhile writes nothing to it any more: its store has moved.
func adoption(o Options, from, aside string) []func() error {
	steps := []func() error{func() error { return setAside(o.State, aside) },
		func() error { return moveDamaged(o.State, aside) }}
	if from != "" {
		steps = append(steps, func() error { return moveDamaged(from, o.State) },
			func() error { return os.Rename(from, o.State) })
	}
	return append(steps, func() error { return safefs.SyncDir(filepath.Dir(o.State)) })
}

// setAside gives a state directory another name. Without a ledger it has only what hooks logged that found no daemon, and
// the place of replays, and is removed.
func setAside(state, aside string) error {
	if held.Exists(state) {
		return os.Rename(state, aside)
	}
	for _, name := range []string{"log", temporary.Name} {
		if err := os.RemoveAll(filepath.Join(state, name)); err != nil {
			return err
		}
	}
	return ignoreMissing(os.Remove(state))
}

// moveDamaged has the damaged ledgers that repairs kept follow theirs to another name, so that forgetting finds them.
func moveDamaged(from, to string) error {
	kept, err := temporary.Damaged(from)
	for _, dir := range kept {
		err = errors.Join(err, os.Rename(dir, to+strings.TrimPrefix(dir, from)))
	}
	return err
}
