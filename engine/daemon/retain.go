package daemon

import (
	"context"
	"errors"
	"time"

	"ctxledger.dev/internal/pulse"
	"ctxledger.dev/ledger"
)

// retainEvery is how often an owner applies the retention policy after its start.
const retainEvery = 24 * time.Hour

// retainStep is how long applying it may take before it is called stuck: it is one call to the ledger, and
// thousands of sessions may expire at once.
const retainStep = 2 * time.Minute

// retain lets expire what the retention policy says, at the start and once a day.
func (d *daemon) retain(ctx context.Context, _ ledger.API, p *pulse.Pulse) error {
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		p.Beat()
		err := guarded(d.config.Env, d.log, func() error { return d.applyPolicy() })
		if err != nil && !(ctx.Err() != nil && errors.Is(err, context.Canceled)) {
			d.log.Error("retention policy", "error", err.Error())
		}
		p.Rest()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// applyPolicy applies the policy, and logs what went by it.
func (d *daemon) applyPolicy() error {
	r, err := d.api.Retain(d.leaving, ledger.RetainRequest{Apply: true})
	if err == nil && r.Expired != nil {
		d.log.Info("expired by the retention policy", "sessions", r.DueTotal)
	}
	return err
}
