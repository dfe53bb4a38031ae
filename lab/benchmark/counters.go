package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// countersPath is where `make counters` installs npm's counters, from the module's root.
const countersPath = ".cache/counters"

// The counters that are compared.
const (
	own       = "ctxledger"          // with assembly where the machine has it
	pure      = "ctxledger, pure Go" // built with the tag purego
	reference = "tiktoken"
)

var (
	ownCounters = []string{own, pure}
	npmCounters = []string{reference, "gpt-tokenizer", "ai-tokenizer", "js-tiktoken"}
)

// Why a counter ended: it exceeded its time limit, or it failed.
var (
	errSlow   = errors.New("too slow")
	errBroken = errors.New("breaks down")
)

// counter is a process that counts files in one encoding, and answers one line at a time: see
// counter/main.go.
type counter struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	said bytes.Buffer // standard error; read it only after the process has ended
}

// counted is a counter's answer.
type counted struct {
	n           int   // tokens
	allocations int   // of all repetitions together, ours only
	heap        int64 // in bytes, afterwards, ours only
	took        times
}

// buildCounters builds our counter in both ways.
func (b *bench) buildCounters(ctx context.Context) error {
	for name, tags := range map[string]string{own: "", pure: "purego"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-C", "lab", "-tags", tags, "-o", b.counterPath(name), "./benchmark/counter")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	if _, err := os.Stat(countersPath); err != nil {
		return fmt.Errorf("%w: run make counters", err)
	}
	return nil
}

// counterPath is where one of ownCounters is built.
func (b *bench) counterPath(name string) string {
	return filepath.Join(b.temp, strings.NewReplacer(" ", "-", ",", "").Replace(name))
}

// counterCommand returns the command that starts a counter.
func (b *bench) counterCommand(ctx context.Context, name, encoding string) *exec.Cmd {
	if slices.Contains(ownCounters, name) {
		return exec.CommandContext(ctx, b.counterPath(name), encoding)
	}
	return exec.CommandContext(ctx, "node", "lab/benchmark/counters.mjs", countersPath, name, encoding)
}

// startCounter starts a counter; close ends it.
func (b *bench) startCounter(ctx context.Context, name, encoding string) (*counter, error) {
	c := &counter{cmd: b.counterCommand(ctx, name, encoding)}
	c.cmd.Stderr = &c.said
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	c.out.Buffer(nil, 1<<20)
	return c, c.cmd.Start()
}

// ask runs a task on a file, with a maximum number of repetitions and an approximate duration. It returns
// errSlow after limit, if there is one, and errBroken if the process exits.
func (c *counter) ask(task, path string, runs int, about, limit time.Duration) (counted, error) {
	began := time.Now()
	if limit > 0 {
		kill := time.AfterFunc(limit, func() { _ = c.cmd.Process.Kill() })
		defer kill.Stop()
	}
	_, err := fmt.Fprintf(c.in, "%s %d %d %s\n", task, runs, about.Milliseconds(), path)
	if err == nil && c.out.Scan() {
		return parseCounted(c.out.Text())
	}
	if limit > 0 && time.Since(began) >= limit {
		return counted{}, errSlow
	}
	return counted{}, fmt.Errorf("%w on %s", errBroken, path)
}

// parseCounted parses the line of an answer.
func parseCounted(line string) (r counted, err error) {
	fields := strings.Fields(line)
	numbers := make([]int64, len(fields))
	for i, f := range fields {
		if numbers[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return counted{}, err
		}
	}
	if len(numbers) < 4 {
		return counted{}, fmt.Errorf("a counter answered %q", line)
	}
	r = counted{n: int(numbers[0]), allocations: int(numbers[1]), heap: numbers[2]}
	for _, n := range numbers[3:] {
		r.took = append(r.took, time.Duration(n))
	}
	return r, nil
}

// close ends the process and waits for it.
func (c *counter) close() error {
	err := errors.Join(c.in.Close(), c.cmd.Wait())
	if err != nil {
		err = fmt.Errorf("%w: %.500s", err, c.said.Bytes())
	}
	return err
}
