package powercut

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Recording is the life of a ledger as a trace shows it. It is not safe for concurrent use.
type Recording struct {
	root   string // of the traced files
	events []event
	points []int // numbers of events after which the power may fail
	disk   *disk // where Image has come to
	next   int   // the event to follow next
}

// The files of a recording in its directory.
const (
	traceFile = "trace"
	filesDir  = "files"
)

// StateDir returns the state directory of the ledger that is recorded in dir.
func StateDir(dir string) string { return filepath.Join(dir, filesDir, "state") }

// Record runs a program that writes a ledger in StateDir(dir) under strace and keeps the trace in
// dir, which must be absolute. The program writes "ack N" to standard output when step N is
// acknowledged. An error of the program, an *exec.ExitError, leaves the trace up to there.
func Record(ctx context.Context, dir string, program ...string) error {
	if err := os.MkdirAll(filepath.Join(dir, filesDir), 0o700); err != nil {
		return err
	}
	args := []string{"-f", "-qq", "-xx", "-s", "16777216", "--signal=none", "--seccomp-bpf",
		"-e", "trace=" + strings.Join(traced, ","), "-o", filepath.Join(dir, traceFile), "--"}
	cmd := exec.CommandContext(ctx, "strace", append(args, program...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the traced program: %w: %s", err, said.Bytes())
	}
	r, err := Load(dir)
	if err != nil {
		return err
	}
	return r.verify()
}

// Load reads the recording in dir.
func Load(dir string) (*Recording, error) {
	f, err := os.Open(filepath.Join(dir, traceFile))
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading
	calls, err := parseTrace(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	r := &Recording{root: filepath.Join(dir, filesDir), events: eventsOf(calls)}
	return r, r.findPoints()
}

// findPoints follows the trace once: the power may fail wherever something has changed.
func (r *Recording) findPoints() error {
	d := newDisk(r.root)
	changes, acked, pending := 0, 0, 0
	for i, e := range r.events {
		if err := d.follow(e); err != nil {
			return err
		}
		now := d.pending()
		if d.changes != changes || d.acked != acked || now != pending {
			r.points = append(r.points, i+1)
		}
		changes, acked, pending = d.changes, d.acked, now
	}
	if acked == 0 {
		return errors.New("the trace acknowledges nothing")
	}
	return nil
}

// pending returns how many changes no sync has made durable.
func (d *disk) pending() int {
	n := 0
	for _, node := range d.nodes {
		n += len(node.todo)
	}
	return n
}

// verify compares the end of the trace with the files themselves: if the model misses a way to
// write, they differ.
func (r *Recording) verify() error {
	d := newDisk(r.root)
	for _, e := range r.events {
		if err := d.follow(e); err != nil {
			return err
		}
	}
	list := func(dir string) ([]string, error) {
		entries, err := os.ReadDir(dir)
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		slices.Sort(names)
		return names, err
	}
	return d.matches(os.ReadFile, list)
}

// Points is the number of moments at which the power may fail.
func (r *Recording) Points() int { return len(r.points) }

// at brings the disk to a moment.
func (r *Recording) at(point int) (*disk, error) {
	if r.disk == nil || r.next > r.points[point] {
		r.disk, r.next = newDisk(r.root), 0
	}
	for ; r.next < r.points[point]; r.next++ {
		if err := r.disk.follow(r.events[r.next]); err != nil {
			return nil, err
		}
	}
	return r.disk, nil
}
