package powercut

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/crashtest/script"
)

// Check builds image n of total and examines it; the images are spread evenly over the moments.
// The image is left in dir. An error says what is wrong with the ledger, or with the harness.
func (r *Recording) Check(ctx context.Context, dir string, story script.Story, seed uint64, n, total int) error {
	d, err := r.at(int(int64(n) * int64(len(r.points)) / int64(total)))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	if err := d.save(dir, newFate(rng, d)); err != nil {
		return fmt.Errorf("image cannot be written: %w", err)
	}
	acked := d.acked
	state := filepath.Join(dir, "state")
	if _, err := os.Stat(state); acked == 0 && errors.Is(err, os.ErrNotExist) {
		return nil // the first directory was not there yet
	}
	clock := &script.Clock{}
	clock.Enter(acked + 1)
	api, err := script.Open(ctx, state, clock)
	if err != nil {
		return fmt.Errorf("after step %d: the ledger does not open: %w", acked, err)
	}
	err = examine(ctx, api, story, acked, n)
	if cerr := api.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("after step %d: %w", acked, err)
	}
	return nil
}

// thorough is how often everything is read, and not the records alone; and how often the ledger
// must take another step.
const thorough = 10

// examine compares an open ledger with the story: all acknowledged steps must be there, and of the
// next one all or nothing.
func examine(ctx context.Context, api engine.API, story script.Story, acked, n int) error {
	read, part := script.ReadRecords, script.State.Records
	if n%thorough == 0 {
		read, part = script.Read, func(s script.State) script.State { return s }
	}
	got, err := read(ctx, api)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	lost := part(story[acked]).Differences(got)
	if len(lost) == 0 {
		return nil
	}
	if acked+1 < len(story) && len(part(story[acked+1]).Differences(got)) == 0 {
		return nil
	}
	return fmt.Errorf("acknowledged is not what is there:\n%s", strings.Join(lost, "\n"))
}
