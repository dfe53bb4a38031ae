// Command demo shows the main job of ctxledger on a recorded session, and checks what it shows.
//
//	make demo
//
// It runs the built programs from outside, in a temporary workspace with a state directory and a
// home of its own: `ctxmcp` as a child process with a real MCP client, `ctxledger` as a person would
// type it. Start at story.go, which holds the steps in their order; every claim that a step prints
// was compared with the recorded file first, and a comparison that fails ends the demo with status 1.
//
// It reads nothing of the person who runs it but the names and sizes of their own session files, to
// say at the end how to look at one, and leaves nothing behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
)

// recording is the session that is shown, from the module's root.
const recording = "testdata/sessions/shop.jsonl"

// Bounds of a run. It takes a few seconds.
const (
	patience = time.Minute
	goodbye  = 15 * time.Second
)

func main() {
	bin := flag.String("bin", "bin", "the `directory` of the built programs")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, env.System(), *bin); err != nil {
		fmt.Fprintf(os.Stderr, "\ndemo: %s\n", err)
		os.Exit(1)
	}
}

// run plays the demo and cleans up after it, also when it fails or is interrupted. e is the
// environment of the person who looks at it.
func run(ctx context.Context, out io.Writer, e env.Env, bin string) error {
	began := time.Now()
	rec, err := readRecording(recording)
	if err != nil {
		return fmt.Errorf("%w (run it from the module's root)", err)
	}
	if err := show(ctx, out, rec, bin); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nDone in %.1f s. Every comparison held; the temporary workspace is removed.\n",
		time.Since(began).Seconds())
	own, err := findOwn(e)
	if err != nil {
		return err
	}
	own.print(out, bin)
	return nil
}

// show plays the demo on a recording in a sandbox of its own.
func show(ctx context.Context, out io.Writer, rec recorded, bin string) error {
	s, err := sandbox.New(bin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := &demo{out: out, box: s, rec: rec}
	err = d.play(ctx)
	leaving, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer done()
	return errors.Join(err, d.close(), s.Close(leaving))
}
