package daemon

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
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
// lock is held. It also frees memory while the daemon is idle, and makes it leave when nobody needs it.
func (d *daemon) watch(ctx context.Context, _ ledger.API, p *pulse.Pulse) error {
	home, err := os.Stat(d.config.State)
	if err != nil {
		d.leave(errGone)
		return nil
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	idle, content := time.Duration(0), ""
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
		if print, err := fingerprint(d.config.State); err == nil && print != content {
			content = print
			d.presence.touch()
		}
		before, asked := idle, 0
		_, asked, idle = d.presence.now()
		d.relax(before, idle)
		if asked == 0 && d.unneeded(ctx, before, idle) {
			d.leave(errIdle)
			return nil
		}
	}
}

// unneeded reports whether a daemon that is not asked for anything can leave: nothing was asked or recorded for its idle
// timeout, and no session is live. It looks each time that this passes, so that a ledger with a live session is not read
// all the time.
func (d *daemon) unneeded(ctx context.Context, before, idle time.Duration) bool {
	if idle/d.config.Idle <= before/d.config.Idle {
		return false
	}
	page, err := d.api.Sessions(ctx, ledger.SessionsRequest{})
	now := d.config.Env.Now()
	return err == nil && !slices.ContainsFunc(page.Sessions, func(s sessions.Session) bool {
		ended := s.Hooked != nil && !s.Hooked.Ended.Before(s.Updated)
		return !ended && now.Sub(s.Updated).Abs() < limits.ActiveSession // what is far in the future is made up
	})
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
