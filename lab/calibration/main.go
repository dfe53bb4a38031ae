// Command calibration measures how well tokens.Estimator predicts what providers measured, on anybody's
// session files of Claude Code:
//
//	go run -C lab ./calibration ~/.claude/projects
//
// Each argument is a directory of session files, searched to its depths; each is a user of its own, whose
// estimators begin with the families' priors. Every session is read through the real importer into a real
// ledger, measured by engine/calibrate, and predicted before it is learnt from, in order of time.
//
// Printed are, per model and of all:
//
//   - text: the error of what one request added, for additions of 500 tokens and more, and of any size;
//   - context: the error of the next request's whole input, predicted from the one before it as measured
//     plus the estimate of what was added, which is what a budget needs;
//   - session: the error of the sum of all additions of a session;
//   - bound: how many additions stayed within the p95 bound.
//
// With -held, estimators learn from every other session alone, and only the sessions between are predicted.
// The command reads session files and writes nothing but its table; nothing of their text is printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/calibrate"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

func main() {
	held := flag.Bool("held", false, "learn from every other session, and predict the sessions between")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, flag.Args(), *held); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

// run evaluates each directory and prints the table.
func run(ctx context.Context, out io.Writer, dirs []string, held bool) error {
	if len(dirs) == 0 {
		return errors.New("name directories with session files")
	}
	all := table{}
	for _, dir := range dirs {
		measured, err := read(ctx, dir)
		if err != nil {
			return err
		}
		all.play(measured, held)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, header)
	for _, model := range all.models() {
		fmt.Fprintln(w, all[model].line(model))
	}
	return w.Flush()
}

// session is what one session file shows.
type session struct {
	started  int64 // Unix time
	measured []ledger.Measurement
}

// read measures all session files below a directory, in order of time. What is not a session file is passed over.
func read(ctx context.Context, dir string) ([]session, error) {
	state, err := os.MkdirTemp("", "calibration")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(state)
	local, err := engine.Open(ctx, engine.Options{State: state, Workspace: state, Env: env.System()})
	if err != nil {
		return nil, err
	}
	defer local.Close() // only read from by now
	var all []session
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		report, err := agents.Import(ctx, local, agents.Source{Path: path}, nil)
		if err != nil {
			fmt.Fprintf(os.Stderr, "calibration: left out: %s\n", err)
			return nil
		}
		measured, err := calibrate.Measurements(ctx, local, report.Session)
		if err != nil {
			return err
		}
		s, err := local.Session(ctx, ledger.SessionRequest{Name: report.Session})
		all = append(all, session{s.Created.Unix(), measured})
		return err
	})
	slices.SortStableFunc(all, func(a, b session) int { return int(a.started - b.started) })
	return all, err
}
