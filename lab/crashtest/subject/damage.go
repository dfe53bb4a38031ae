package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"ctxledger.dev/lab/crashtest/cases"
	"ctxledger.dev/lab/crashtest/damage"
	"ctxledger.dev/lab/crashtest/script"
)

// wound damages the ledger in dir/state again and again and looks at what is left: kind ("flips" or
// "wrecks"), seed, and which cases.
func wound(ctx context.Context, dir string, args []string) error {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	n, err := numbers(args[2:])
	if err != nil {
		return err
	}
	from, to, step := n[0], n[1], n[2]
	story, err := script.LoadStory(dir)
	if err != nil {
		return err
	}
	original, err := damage.Load(filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	at := filepath.Join(dir, "damaged-"+strconv.Itoa(os.Getpid()))
	err = cases.Serve(os.Stdout, from, to, step, func(n int) (string, error) {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		var d damage.Damage
		switch kinds := damage.Wrecks(); args[0] {
		case "wrecks":
			d = original.Wreck(kinds[n%len(kinds)], rng)
		case "misdirected":
			d = original.Misdirect(rng)
		default:
			d = original.Flip(rng)
		}
		outcome, wrong := original.Check(ctx, at, story[len(story)-1], d)
		if wrong != nil {
			_ = os.Rename(at, filepath.Join(dir, "failed-"+strconv.Itoa(n))) // the report counts more
		}
		return outcome, wrong
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(at)
}
