package crashtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
)

// Options say what is killed, how often, and where.
type Options struct {
	Kills   int     // of owners that have acknowledged enough; those that die starting come on top
	Seed    uint64  // repeats a run
	Program string  // the program that becomes the owner, built with the tag failpoints
	Dir     string  // for state directories; its path is short, so that sockets fit
	Session []byte  // a Claude Code session file, which is imported piece by piece
	Env     env.Env // of this process
}

// lanes is how many series run at once.
const lanes = 2

// Run kills owners and compares what is left. The report is filled as far as it came, also when
// there is an error: of what was lost, or of what the harness could not do. The state directories
// of a run with an error are kept below o.Dir.
func Run(ctx context.Context, o Options) (*Report, error) {
	began := o.Env.Now()
	p := &plan{left: o.Kills, next: map[failpoint.Phase]int{}}
	r := newReport(o.Seed)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	var once sync.Once
	var failed error // of the lane that failed first, which stops the other one
	for lane := range lanes {
		work.Go(func() {
			if err := runLane(ctx, o, p, r, lane); err != nil {
				once.Do(func() { failed = err })
				cancel()
			}
		})
	}
	work.Wait()
	r.Seconds = o.Env.Now().Sub(began).Seconds()
	_, r.Violated = errors.AsType[violation](failed)
	return r, failed
}

// runLane runs one series after the other until all kills are done.
func runLane(ctx context.Context, o Options, p *plan, r *Report, lane int) error {
	for n := 0; p.more(); n++ {
		s, err := newSeries(o, p, r, lane, n)
		if err == nil {
			err = s.run(ctx)
		}
		if err != nil {
			return fmt.Errorf("seed %d, %s: %w", o.Seed, s.state, err)
		}
	}
	return nil
}
