package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/ledger"
)

// write plays the script on a daemon of this process, in two lives of which the second finds the
// ledger of the first, and acknowledges each step when the client has its answer.
func write(ctx context.Context, state string, rounds int) error {
	steps := script.Steps(rounds)
	acked := 0
	for _, upTo := range []int{len(steps) / 2, len(steps)} {
		err := serve(ctx, state, func(api ledger.API, clock *script.Clock) error {
			return script.Play(ctx, api, clock, steps[:upTo], acked, func(n int, err error) (bool, error) {
				if err != nil {
					return false, fmt.Errorf("step %d (%s): %w", n+1, steps[n].Name, err)
				}
				if n+1 > acked {
					acked = n + 1
					_, err = fmt.Fprintf(os.Stdout, "ack %d\n", acked)
				}
				return false, err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// serve runs a daemon in this process for as long as do uses it as a client.
func serve(ctx context.Context, state string, do func(ledger.API, *script.Clock) error) error {
	clock := &script.Clock{}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	left := make(chan error, 1)
	go func() {
		left <- daemon.Run(ctx, daemon.Config{State: state, Workspace: script.Workspace, Env: clock.Env(),
			Version: "subject"})
	}()
	api, err := connect(ctx, state, left)
	if err != nil {
		return err
	}
	err = errors.Join(do(api, clock), api.Close())
	leave()
	return errors.Join(err, <-left)
}

// connect waits for the daemon to publish itself.
func connect(ctx context.Context, state string, left chan error) (ledger.API, error) {
	for {
		api, err := daemon.Open(
			ctx, daemon.Options{State: state, Workspace: script.Workspace, Env: env.System(), NoSpawn: true})
		if err == nil {
			return api, nil
		}
		select {
		case ended := <-left:
			left <- nil
			return nil, errors.Join(ended, err)
		case <-time.After(time.Millisecond):
		}
	}
}
