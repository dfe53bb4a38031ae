package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"ctxledger.dev/lab/crashtest/cases"
	"ctxledger.dev/lab/crashtest/powercut"
	"ctxledger.dev/lab/crashtest/script"
)

// cuts examines images of the recording in dir: seed, total, and which of them. An image that has
// failed is kept with the recording.
func cuts(ctx context.Context, dir string, args []string) error {
	seed, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	n, err := numbers(args[1:])
	if err != nil {
		return err
	}
	total, from, to, step := n[0], n[1], n[2], n[3]
	story, err := script.LoadStory(dir)
	if err != nil {
		return err
	}
	recording, err := powercut.Load(dir)
	if err != nil {
		return err
	}
	at := filepath.Join(dir, "image-"+strconv.Itoa(os.Getpid()))
	err = cases.Serve(os.Stdout, from, to, step, func(n int) (string, error) {
		wrong := recording.Check(ctx, at, story, seed, n, total)
		if wrong != nil {
			_ = os.Rename(at, filepath.Join(dir, "failed-"+strconv.Itoa(n))) // the report counts more
		}
		return "held", wrong
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(at)
}
