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

// retainStep is how long applying it may take before the task counts as stuck: it is one call to the
// ledger, and thousands of sessions may expire at once.
const retainStep = 2 * time.Minute

// retain applies the retention policy, at the start and once a day.
func (d *daemon) retain(ctx context.Context, _ ledger.API, p *pulse.Pulse) error {
	return every(ctx, retainEvery, p, func() error {
		err := guarded(d.config.Env, d.log, d.applyPolicy)
		if err != nil && !(ctx.Err() != nil && errors.Is(err, context.Canceled)) {
			d.log.Error("retention policy", "error", err.Error())
		}
		return nil
	})
}

// applyPolicy applies the policy, and logs what expired.
func (d *daemon) applyPolicy() error {
	r, err := d.api.Retain(d.leaving, ledger.RetainRequest{Apply: true})
	if err == nil && r.Expired != nil {
		d.log.Info("expired by the retention policy", "sessions", r.DueTotal)
	}
	return err
}
