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
	"ctxledger.dev/kv"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/ledger"
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
	if err := examine(ctx, state, story, acked, n%thorough == 0); err != nil {
		return fmt.Errorf("after step %d: %w", acked, err)
	}
	return nil
}

// thorough is how often everything is looked at, and not the records alone.
const thorough = 10

// examine opens a ledger and compares it with the story.
func examine(ctx context.Context, state string, story script.Story, acked int, thorough bool) error {
	clock := &script.Clock{}
	clock.Enter(acked + 1)
	api, err := script.Open(ctx, state, clock)
	if err != nil {
		return fmt.Errorf("the ledger does not open: %w", err)
	}
	if !thorough {
		return errors.Join(compare(ctx, api, story, acked, script.ReadRecords, script.State.Records), api.Close())
	}
	err = compare(ctx, api, story, acked, script.Read, script.State.All)
	if err == nil {
		err = goOn(ctx, api, clock, story, acked)
	}
	if err = errors.Join(err, api.Close()); err != nil {
		return err
	}
	return sound(ctx, state)
}

// compare reads an open ledger, or the part of it that matters: all acknowledged steps must be
// there, and of the next one all or nothing.
func compare(ctx context.Context, api ledger.API, story script.Story, acked int,
	read func(context.Context, ledger.API) (script.State, error), part func(script.State) script.State) error {
	got, err := read(ctx, api)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	lost := story.Differences(acked, got, part)
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("acknowledged is not what is there:\n%s", strings.Join(lost, "\n"))
}

// goOn repeats the script up to the step that was under way, as its client would: it is applied
// once, whether it was before or not.
func goOn(ctx context.Context, api ledger.API, clock *script.Clock, story script.Story, acked int) error {
	last := min(acked+1, len(story)-1)
	err := script.Play(ctx, api, clock, story.Steps()[:last], acked, func(n int, err error) (bool, error) {
		if err != nil {
			err = fmt.Errorf("step %d cannot be repeated: %w", n+1, err)
		}
		return false, err
	})
	if err != nil {
		return err
	}
	got, err := script.Read(ctx, api)
	if err != nil {
		return err
	}
	if wrong := story[last].Differences(got); len(wrong) > 0 {
		return fmt.Errorf("with step %d repeated:\n%s", last, strings.Join(wrong, "\n"))
	}
	return nil
}

// sound looks at the structure of a closed ledger.
func sound(ctx context.Context, state string) error {
	var problems []string
	o := engine.Options{State: state}
	files, place, err := o.Files()
	if err != nil {
		return err
	}
	_, err = files.Check(ctx, place, func(p kv.Problem) {
		problems = append(problems, p.Where+": "+p.What)
	})
	if err == nil && len(problems) > 0 {
		return fmt.Errorf("check finds:\n%s", strings.Join(problems, "\n"))
	}
	return err
}
