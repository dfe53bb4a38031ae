package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"text/tabwriter"
	"time"
)

// run runs the targets one after the other and prints a line for each, and one for all. It returns an error that
// names the file to commit if an input made one fail; the others do not run then.
func run(ctx context.Context, list []target, each time.Duration) error {
	start := time.Now()
	t := newTable(os.Stdout)
	defer t.flush()
	var sum progress
	for i, target := range list {
		fmt.Fprintf(os.Stderr, "%d of %d: %s for %v\n", i+1, len(list), target, each.Round(time.Second))
		p, out, err := fuzzSome(ctx, target, each)
		t.add(target.String(), p)
		sum.executions, sum.fresh, sum.corpus = sum.executions+p.executions, sum.fresh+p.fresh, sum.corpus+p.corpus
		sum.elapsed = time.Since(start)
		if err != nil {
			t.add("total", sum)
			return failure(target, p, out, err)
		}
	}
	t.add(fmt.Sprintf("total of %d targets", len(list)), sum)
	return nil
}

// failure says why a target failed, and what to do about it.
func failure(t target, p progress, out string, err error) error {
	if p.crasher == "" {
		return fmt.Errorf("%s: %w\n%s", t, err, out)
	}
	return fmt.Errorf("%s failed\n%s\nfix it, and commit the input that it failed on: %s", t, out,
		path.Join(t.dir, p.crasher))
}

// mostTimes is how many times as long a target runs at most that executes nothing.
const mostTimes = 16

// fuzzSome runs one target until it has executed something: the go command counts the time that it takes to start and
// to try the corpus, which on a busy machine may be all there is. It then runs again, twice as long.
func fuzzSome(ctx context.Context, t target, each time.Duration) (p progress, out string, err error) {
	for times := time.Duration(1); times <= mostTimes; times *= 2 {
		if p, out, err = fuzz(ctx, t, times*each); err != nil || p.executions > 0 {
			return p, out, err
		}
	}
	return p, out, fmt.Errorf("nothing was executed in %v: give it more time", mostTimes*each)
}

// fuzz runs one target. It returns how far it came and the last of what it said.
func fuzz(ctx context.Context, t target, each time.Duration) (progress, string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime",
		each.String(), ".")
	cmd.Dir = t.dir // a target may lie in the module of lab/
	cmd.WaitDelay = time.Minute
	said, err := cmd.StdoutPipe()
	if err != nil {
		return progress{}, "", err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return progress{}, "", err
	}
	p, out := follow(said, os.Stderr)
	if err = cmd.Wait(); p.finished(each) {
		err = nil
	}
	return p, out, err
}

// follow reads what the go command says to its end. It sends lines about progress to w, and returns the last others.
func follow(said io.Reader, w io.Writer) (p progress, out string) {
	const most = 60 // lines
	var others []string
	r := bufio.NewReader(said)
	for {
		line, err := r.ReadString('\n')
		switch {
		case p.read(line):
			fmt.Fprintf(w, "\r  %v, %d executions, %d new ", p.elapsed, p.executions, p.fresh)
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "fuzz: elapsed"):
			others = append(others, strings.TrimRight(line, "\n"))
			others = others[max(len(others)-most, 0):]
		}
		if err != nil {
			fmt.Fprintln(w)
			return p, strings.Join(others, "\n")
		}
	}
}

// table prints a line a target, aligned.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.w, "executions\tper second\tnew coverage\tcorpus\ttime\t\ttarget")
	return t
}

func (t table) add(name string, p progress) {
	fmt.Fprintf(t.w, "%d\t%d\t%d\t%d\t%v\t\t%s\n", p.executions, p.rate(), p.fresh, p.corpus,
		p.elapsed.Round(time.Second), name)
}

func (t table) flush() { _ = t.w.Flush() }
