// Command replays measures the product on recorded sessions: it plays them through ctxledger, in temporary ledgers.
//
//	go run -C lab ./replays FILE…
//	go run -C lab ./replays -kept FILE…
//
// It is simulated: no tasks are re-run, and with another view the agent might have acted differently. Nothing leaves the machine.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/process"
)

func main() {
	process.KeepOwnAccess()
	b := bench{env: env.System(), out: os.Stdout}
	retained := flag.Bool("kept", false, "measure what summaries keep of what was needed later")
	flag.BoolVar(&b.json, "json", false, "print the answer as JSON")
	flag.Parse()
	do := b.replay
	if *retained {
		do = b.kept
	}
	if err := do(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "replays:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	env  env.Env
	out  io.Writer
	json bool
}

// answer prints a value as JSON, or as the text.
func (b bench) answer(v any, text func(w io.Writer)) error {
	if !b.json {
		text(b.out)
		return nil
	}
	e := json.NewEncoder(b.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// each reads session files and calls do for each. A file that fails does not stop it; its error is one of those returned.
func (b bench) each(ctx context.Context, files []string, do func(ctx context.Context, s *replay.Session) error) error {
	var failed []error
	for _, file := range files {
		if err := b.read(ctx, file, do); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", file, err))
		}
	}
	return errors.Join(failed...)
}

func (b bench) read(ctx context.Context, file string, do func(ctx context.Context, s *replay.Session) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading
	r, err := agents.Read(f, file)
	if err != nil {
		return err
	}
	return do(ctx, &replay.Session{Name: r.Name, About: r.About, Entries: r.Entries, Summaries: r.Summaries})
}

// percent prints a share without decimals; "–" for one that is not known.
func percent(share float64, known bool) string {
	if !known {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// notTasks is what has to be said of every replay.
func notTasks(w io.Writer) { fmt.Fprintln(w, "Simulated; no tasks were re-run.") }
