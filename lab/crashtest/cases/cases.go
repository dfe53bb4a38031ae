// Package cases runs many numbered cases in child processes, which may die or hang over one of
// them: that case has then failed, and a new child continues with the next.
//
// Start at Run in the parent and Serve in the child. A child says on its standard output which case
// it begins and how it ended; everything else about a case follows from its number.
//
// The package deliberately does not know what a case is.
package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Problem is a case that failed.
type Problem struct {
	Case int
	What string // may have several lines
}

// Report is the outcome of a run.
type Report struct {
	Problems []Problem      // by number
	Outcomes map[string]int // how many of the other cases ended in which way
}

// served is the number of cases that ended.
func (r Report) served() int {
	n := len(r.Problems)
	for _, count := range r.Outcomes {
		n += count
	}
	return n
}

// Plan says what to run.
type Plan struct {
	From, To int                                // the cases From ≤ n < To
	Parallel int                                // children at a time
	Patience time.Duration                      // how long one case may take
	Stop     int                                // problems after which nothing more is begun; 0: never
	Child    func(from, to, step int) *exec.Cmd // a child that serves these cases
}

// Run runs the cases. An error is one of the harness itself: a child that does not start, or says
// what it should not.
func Run(ctx context.Context, p Plan) (Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := run{plan: p, report: Report{Outcomes: map[string]int{}}, stop: stop}
	var running sync.WaitGroup
	for k := range p.Parallel {
		running.Go(func() {
			if err := r.lane(ctx, p.From+k); err != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.failure = errors.Join(r.failure, err)
				stop()
			}
		})
	}
	running.Wait()
	if served := r.report.served(); r.failure == nil && ctx.Err() == nil && served != p.To-p.From {
		r.failure = fmt.Errorf("%d of %d cases were served", served, p.To-p.From)
	}
	slices.SortFunc(r.report.Problems, func(a, b Problem) int { return a.Case - b.Case })
	return r.report, r.failure
}

// run is a plan being carried out.
type run struct {
	plan Plan
	stop context.CancelFunc

	mu      sync.Mutex
	report  Report // guarded by mu
	failure error  // guarded by mu
}

// ended notes how a case ended.
func (r *run) ended(n int, outcome, wrong string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wrong == "" {
		r.report.Outcomes[outcome]++
		return
	}
	r.report.Problems = append(r.report.Problems, Problem{n, wrong})
	if r.plan.Stop > 0 && len(r.report.Problems) >= r.plan.Stop {
		r.stop()
	}
}

// lane runs the cases from, from + Parallel, and so on, in one child after the other.
func (r *run) lane(ctx context.Context, from int) error {
	p := r.plan
	for from < p.To && ctx.Err() == nil {
		last, err := r.child(ctx, from)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if last < from {
			return fmt.Errorf("no case was begun: %w", err)
		}
		r.ended(last, "", err.Error())
		from = last + p.Parallel
	}
	return nil
}

// child runs one child to its end and returns the last case that it began.
func (r *run) child(ctx context.Context, from int) (last int, err error) {
	p := r.plan
	last = from - 1
	cmd := p.Child(from, p.To, p.Parallel)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return last, err
	}
	over, hung := false, false
	kill := func() { _ = cmd.Process.Kill() } // it may have ended
	defer context.AfterFunc(ctx, kill)()
	var mu sync.Mutex
	timer := time.AfterFunc(max(p.Patience, time.Minute), func() { // the first case comes after what all need
		mu.Lock()
		defer mu.Unlock()
		hung = true
		kill()
	})
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s said
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			kill()
			return last, errors.Join(fmt.Errorf("a child said %.200q", lines.Text()), cmd.Wait())
		}
		last, over = s.Case, s.Over
		timer.Reset(p.Patience)
		if s.Over {
			r.ended(s.Case, s.Outcome, s.Wrong)
		}
	}
	err = errors.Join(lines.Err(), cmd.Wait())
	mu.Lock()
	defer mu.Unlock()
	if err != nil && hung {
		return last, fmt.Errorf("the process hung for %v: %s", p.Patience, tail(stderr.String()))
	}
	if err != nil {
		return last, fmt.Errorf("the process died: %w: %s", err, tail(stderr.String()))
	}
	if !over || last+p.Parallel < p.To {
		return last, errors.New("the process ended without a word")
	}
	return last, nil
}

// tail keeps the beginning of what a dying process said: a panic and the first of its stacks.
func tail(s string) string { return s[:min(len(s), 2000)] }

// said is one line of a child: a case begins, or is over.
type said struct {
	Case    int    `json:"case"`
	Over    bool   `json:"over,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Wrong   string `json:"wrong,omitempty"`
}

// Serve runs the cases from, from + step, and so on below to, in this process. A case that returns
// an error has failed; any other ends with an outcome, in a word, that is counted.
func Serve(out io.Writer, from, to, step int, do func(n int) (outcome string, err error)) error {
	enc := json.NewEncoder(out)
	for n := from; n < to; n += step {
		if err := enc.Encode(said{Case: n}); err != nil {
			return err
		}
		s := said{Case: n, Over: true}
		var err error
		if s.Outcome, err = do(n); err != nil {
			s.Wrong = err.Error()
		}
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	return nil
}
