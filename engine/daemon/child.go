package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// What a child process does with a ledger, by its first argument. Unforeseen damage may crash or hang the
// reader of a file, so a child process reads it.
const (
	hiddenCheck  = "__check"  // STATE: checks the ledger
	hiddenRepair = "__repair" // STATE INTO: salvages the ledger into a new state directory
)

// childResult is what a child writes to its standard output.
type childResult struct {
	Checked  *upkeep.Checked  `json:"checked,omitempty"`
	Repaired *upkeep.Repaired `json:"repaired,omitempty"`
	Error    *fault.Error     `json:"error,omitempty"`
}

// errDied says that a child ended without a result.
var errDied = errors.New("the process that read the ledger crashed")

// inChild runs one task in a child process and returns its result. Errors: those of the task; errDied;
// unavailable when it took longer than timeout.
func inChild(ctx context.Context, o Options, timeout time.Duration, args ...string) (childResult, error) {
	const op = "daemon.child"
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	command, err := link.Command(o.Binary, args...)
	if err != nil {
		return childResult{}, err
	}
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Args[0] = link.ProcessName // instead of /proc/self/exe, for people who list processes
	out := &capped{left: limits.Frame}
	child.Stdout = out
	child.WaitDelay = time.Second
	failed := child.Run()
	if child.Process == nil && ctx.Err() == nil {
		return childResult{}, link.Unstarted(o.Binary, failed)
	}
	if ctx.Err() != nil {
		return childResult{}, (&fault.Error{
			Code: fault.Unavailable, Op: op, Message: "reading the ledger timed out", Err: ctx.Err(),
		}).WithHint("the disk may be slow or a file damaged; run: ctxledger ledger repair")
	}
	var answer childResult
	switch err := json.Unmarshal(out.kept.Bytes(), &answer); {
	case err != nil && failed != nil:
		return childResult{}, errDied
	case err != nil:
		return childResult{}, fault.Wrap(fault.Internal, op, err)
	case answer.Error != nil:
		return childResult{}, answer.Error
	}
	return answer, nil
}

// capped is a buffer with a size limit, beyond which writing fails. bytes.Buffer is not embedded, because
// its ReadFrom would bypass the limit.
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

// child is the main function of a child process.
func child(ctx context.Context, args []string, r Role) (exit int) {
	var answer childResult
	var err error
	switch {
	case args[0] == hiddenCheck && len(args) == 2:
		answer.Checked, err = pointTo(upkeep.Check(ctx, engine.Options{State: args[1], Env: r.Env}))
	case args[0] == hiddenRepair && len(args) == 3:
		answer.Repaired, err = pointTo(upkeep.Repair(ctx, engine.Options{State: args[1], Env: r.Env}, args[2]))
	default:
		return 2 // only inChild calls this
	}
	if err != nil {
		answer = childResult{Error: flattened("daemon.child", err)}
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return 1 // a result is always encodable; without one the child counts as crashed
	}
	_, _ = os.Stdout.Write(append(line, '\n')) // the parent may have ended
	return 0
}

func pointTo[T any](v T, err error) (*T, error) { return &v, err }
