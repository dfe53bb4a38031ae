// Package cases runs many numbered cases in child processes, which may die or hang over one of
// them: that case has then failed, and a new child goes on with the next.
//
// Start at Run in the parent and Serve in the child. A child says on its standard output which case
// it begins and what is wrong with it; everything else about a case follows from its number.
//
// The package deliberately does not know what a case is.
package cases

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Problem is a case that failed.
type Problem struct {
	Case int
	What string // may have several lines
}

// Plan says what to run.
type Plan struct {
	From, To int                                // the cases From ≤ n < To
	Parallel int                                // children at a time
	Patience time.Duration                      // how long one case may take
	Stop     int                                // problems after which nothing more is begun; 0: never
	Child    func(from, to, step int) *exec.Cmd // a child that serves these cases
}

// Run runs the cases and returns those that failed, by number. An error is one of the harness
// itself: a child that does not start, or says what it should not.
func Run(ctx context.Context, p Plan) ([]Problem, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		mu       sync.Mutex
		problems []Problem
		failure  error
		running  sync.WaitGroup
	)
	for k := range p.Parallel {
		running.Go(func() {
			err := p.lane(ctx, p.From+k, func(found Problem) {
				mu.Lock()
				defer mu.Unlock()
				if problems = append(problems, found); p.Stop > 0 && len(problems) >= p.Stop {
					stop()
				}
			})
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failure = errors.Join(failure, err)
				stop()
			}
		})
	}
	running.Wait()
	slices.SortFunc(problems, func(a, b Problem) int { return a.Case - b.Case })
	return problems, failure
}

// lane runs the cases from, from + Parallel, and so on, in one child after the other.
func (p Plan) lane(ctx context.Context, from int, found func(Problem)) error {
	for from < p.To && ctx.Err() == nil {
		last, err := p.child(ctx, from, found)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if last < from {
			return fmt.Errorf("no case was begun: %w", err)
		}
		found(Problem{last, err.Error()})
		from = last + p.Parallel
	}
	return nil
}

// child runs one child to its end and returns the last case that it began.
func (p Plan) child(ctx context.Context, from int, found func(Problem)) (last int, err error) {
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
	hung := false
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
		number, what, bad := strings.Cut(lines.Text(), " ")
		n, no := strconv.Atoi(number)
		if no != nil {
			kill()
			return last, errors.Join(fmt.Errorf("a child said %.200q", lines.Text()), cmd.Wait())
		}
		last = n
		timer.Reset(p.Patience)
		if bad {
			text, _ := strconv.Unquote(what) // written by Serve
			found(Problem{n, text})
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
	return last, nil
}

// tail keeps the beginning of what a dying process said: a panic and the first of its stacks.
func tail(s string) string { return s[:min(len(s), 2000)] }

// Serve runs the cases from, from + step, and so on below to, in this process. A case that returns
// an error has failed.
func Serve(out io.Writer, from, to, step int, do func(n int) error) error {
	for n := from; n < to; n += step {
		if _, err := fmt.Fprintln(out, n); err != nil {
			return err
		}
		if wrong := do(n); wrong != nil {
			if _, err := fmt.Fprintln(out, n, strconv.Quote(wrong.Error())); err != nil {
				return err
			}
		}
	}
	return nil
}
