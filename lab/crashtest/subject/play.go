package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/crashtest/faults"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/ledger"
)

// attempts is how often a step is tried: a fault that is over must not be in the way.
const attempts = 3

// errGivenUp ends a run whose step fails however often it is tried.
var errGivenUp = errors.New("given up")

// play plays the script on a daemon of this process and says what became of every step. done of
// them were acknowledged to an earlier run.
func play(ctx context.Context, state string, rounds, done int) error {
	said := json.NewEncoder(os.Stdout)
	steps := script.Steps(rounds)
	err := serve(ctx, state, func(api ledger.API, clock *script.Clock) error {
		tries := 0
		return script.Play(ctx, api, clock, steps, done, func(n int, err error) (bool, error) {
			if err == nil {
				tries = 0
				return false, said.Encode(faults.Said{Step: n + 1, Acked: true})
			}
			if err := said.Encode(saidOf(n+1, err)); err != nil {
				return false, err
			}
			if tries++; tries < attempts {
				return true, nil
			}
			return false, errGivenUp
		})
	})
	if err != nil && !errors.Is(err, errGivenUp) {
		return errors.Join(err, said.Encode(saidOf(0, err)))
	}
	return err
}

// saidOf describes an error as a face would see it.
func saidOf(step int, err error) faults.Said {
	return faults.Said{Step: step, Code: fault.CodeOf(err), Message: err.Error(), Hint: fault.HintOf(err)}
}
