package daemon

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
)

// A daemon runs for many minutes, and is idle most of the time.
const (
	// freeAfter is the idle time after which the daemon returns freed memory to the system.
	freeAfter = 5 * time.Second
	// restAfter is the idle time after which it drops its caches too. A working agent sends requests more
	// often, and calibration has finished by then.
	restAfter = time.Minute
)

// resting is a ledger that can drop its caches.
type resting interface{ Rest() }

// reserving is a ledger that reserves disk space for deletions.
type reserving interface{ KeepReserve() error }

// reserve makes the ledger reserve disk space, which is needed only on a full disk.
func (d *daemon) reserve(context.Context, ledger.API, *pulse.Pulse) error {
	if r, ok := d.api.(reserving); ok {
		if err := r.KeepReserve(); err != nil {
			d.log.Warn("reserve", "error", err.Error())
		}
	}
	return nil
}

// watchEvery is how often a daemon checks its state directory.
const watchEvery = time.Second

// watch makes the daemon leave when its state directory, or the ledger in it, is removed or replaced, and when another
// repository is at the root of its workspace. If
// only owner.json was removed or changed, it publishes the daemon again: no other process can while the
// lock is held. It also frees memory while the daemon is idle.
func (d *daemon) watch(ctx context.Context, _ ledger.API, p *pulse.Pulse) error {
	home, err := os.Stat(d.config.State)
	if err != nil {
		d.leave(errGone)
		return nil
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	idle := time.Duration(0)
	for {
		p.Rest()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		p.Beat()
		now, err := os.Stat(d.config.State)
		here, ok := d.api.(kv.Watched)
		replaced := err != nil || !os.SameFile(home, now) || !held.Exists(d.config.State)
		if replaced || ok && fault.Is(here.CheckLocation(), fault.Moved) {
			d.leave(errGone)
			return nil
		}
		if checkPlace(d.config.Env, d.config.State, d.config.Workspace) != nil {
			d.leave(errOther)
			return nil
		}
		if now.Mode().Perm()&^0o700 != 0 {
			_ = os.Chmod(d.config.State, 0o700) // KeepPrivate and check report a failure
		}
		if o, err := link.ReadOwner(d.config.State); err != nil || !o.Same(d.self) {
			if err := publish(d.self, d.config.State); err != nil {
				d.log.Error("publish", "error", err.Error())
			}
		}
		before := idle
		_, idle = d.presence.now()
		d.relax(before, idle)
	}
}

// relax frees memory when the idle time passes freeAfter or restAfter.
func (d *daemon) relax(before, idle time.Duration) {
	rests := before < restAfter && idle >= restAfter
	if r, ok := d.api.(resting); ok && rests {
		r.Rest()
	}
	if rests || before < freeAfter && idle >= freeAfter {
		debug.FreeOSMemory()
	}
}
