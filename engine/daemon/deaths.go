package daemon

import (
	"time"

	"ctxledger.dev/internal/fault"
)

// deathSpan is the time in which two owners must die uncleanly to end the respawning: what kills
// them is then most likely in the ledger, and starting more makes it worse.
const deathSpan = 10 * time.Second

// deaths watches over the owners that a client has seen die. The zero value has seen none.
type deaths struct {
	last   time.Time
	seen   bool // whether last is set
	barred bool
}

// note records an owner that ended without taking leave.
func (d *deaths) note(now time.Time) {
	if d.seen && now.Sub(d.last) < deathSpan {
		d.barred = true
	}
	d.last, d.seen = now, true
}

// check returns why no owner may be started any more, or nil. An owner that somebody else starts
// is still used.
func (d *deaths) check(state string) error {
	if !d.barred {
		return nil
	}
	return fault.New(fault.Corrupt, "daemon.spawn",
		"two owners of the ledger in %s died within %.0f seconds; no other is started", state, deathSpan.Seconds()).
		WithHint("run: ctxledger check; %s says what killed them", logPath(state))
}
