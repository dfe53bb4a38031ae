package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// What a child process is asked to do with a ledger, by its first argument. A file that is damaged in
// a way that nobody thought of may crash or hang whoever reads it: that is then the child.
const (
	hiddenCheck  = "__check"  // STATE: checks the ledger
	hiddenRepair = "__repair" // STATE INTO: salvages the ledger into a new state directory
)

// said is what a child answers on its standard output.
type said struct {
	Checked  *upkeep.Checked  `json:"checked,omitempty"`
	Repaired *upkeep.Repaired `json:"repaired,omitempty"`
	Error    *fault.Error     `json:"error,omitempty"`
}

// errDied says that a child ended without an answer.
var errDied = errors.New("the process that read the ledger died of it")

// inChild runs one task in a child process and returns its answer. Errors: those of the task; errDied;
// unavailable when it took longer than life.
func inChild(ctx context.Context, o Options, life time.Duration, args ...string) (said, error) {
	const op = "daemon.child"
	ctx, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	command, err := ownCommand(o, args...)
	if err != nil {
		return said{}, err
	}
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Args[0] = processName // /proc/self/exe tells people nothing
	out := &capped{left: limits.Frame}
	child.Stdout = out
	child.WaitDelay = time.Second
	failed := child.Run()
	if child.Process == nil && ctx.Err() == nil {
		return said{}, unstarted(failed)
	}
	if ctx.Err() != nil {
		return said{}, (&fault.Error{
			Code: fault.Unavailable, Op: op, Message: "reading the ledger did not end in time", Err: ctx.Err(),
		}).WithHint("if its disk is not just slow, a damaged file can be the reason: run: ctxledger repair")
	}
	var answer said
	switch err := json.Unmarshal(out.kept.Bytes(), &answer); {
	case err != nil && failed != nil:
		return said{}, errDied
	case err != nil:
		return said{}, fault.Wrap(fault.Internal, op, err)
	case answer.Error != nil:
		return said{}, answer.Error
	}
	return answer, nil
}

// ownCommand returns the command that runs this program with other arguments.
func ownCommand(o Options, args ...string) ([]string, error) {
	binary := o.Binary
	if len(binary) == 0 {
		path, err := ownProgram()
		if err != nil {
			return nil, unstarted(err)
		}
		binary = []string{path}
	}
	return append(append([]string{}, binary...), args...), nil
}

// unstarted is the error of a program that cannot be started.
func unstarted(err error) error {
	if f := outOfFiles(err); f != nil {
		return f
	}
	f := &fault.Error{Code: fault.Unavailable, Op: "daemon.spawn", Message: "this program cannot start itself again", Err: err}
	if errors.Is(err, fs.ErrNotExist) {
		return f.WithHint("it was removed or replaced while it ran: end it and start it again")
	}
	return f
}

// capped keeps what is written to it, up to a limit beyond which writing fails. The buffer is not
// embedded: its ReadFrom would know no limit.
type capped struct {
	kept bytes.Buffer
	left int
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	if len(p) > c.left {
		return 0, io.ErrShortWrite
	}
	c.left -= len(p)
	return c.kept.Write(p)
}

// child plays the role of a child process.
func child(ctx context.Context, args []string, r Role) (exit int) {
	var answer said
	var err error
	switch {
	case args[0] == hiddenCheck && len(args) == 2:
		answer.Checked, err = pointTo(upkeep.Check(ctx, args[1], r.Env))
	case args[0] == hiddenRepair && len(args) == 3:
		answer.Repaired, err = pointTo(upkeep.Repair(ctx, args[1], args[2], r.Env))
	default:
		return 2 // nobody but inChild uses this
	}
	if err != nil {
		f, ok := flatten(err)
		if !ok {
			f = fault.New(fault.Internal, "daemon.child", "%s", err)
		}
		answer = said{Error: f}
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return 1 // an answer is always encodable; without one the child counts as dead
	}
	_, _ = os.Stdout.Write(append(line, '\n')) // whoever waits for it may be gone
	return 0
}

func pointTo[T any](v T, err error) (*T, error) { return &v, err }

// beside makes a private directory beside a state directory, on the same file system.
func beside(state, kind string) (string, error) {
	dir, err := os.MkdirTemp(filepath.Dir(state), "."+filepath.Base(state)+"-"+kind+"-")
	return dir, fault.Wrap(fault.Unavailable, "daemon.beside", err)
}
