package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
)

// daemonRole is the argument that makes a program of ctxledger the daemon of the state directory and
// workspace that follow it, see engine/daemon.
const daemonRole = "__daemon"

// none is the order that arms no failpoint. Every other one is the name of a failpoint.
const none = "-"

// Obey arms the failpoints that the harness orders on an owner's standard input, one a line, and
// repeats each line once it is done. The first order is taken before Obey returns; gone is called when
// the harness is.
func Obey(orders io.Reader, done io.Writer, gone func()) error {
	lines := bufio.NewScanner(orders)
	if !lines.Scan() {
		return fault.New(fault.Invalid, "crashtest.obey", "this owner was not started by the harness")
	}
	if err := obey(lines.Text(), done); err != nil {
		return err
	}
	go func() {
		for lines.Scan() {
			if obey(lines.Text(), done) != nil {
				break
			}
		}
		_ = lines.Err() // whatever ended it, nobody orders any more
		gone()
	}()
	return nil
}

// obey arms what one line orders.
func obey(line string, done io.Writer) error {
	if line != none {
		if err := failpoint.Arm(line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(done, line)
	return err
}

// owner is a process that owns a ledger, or is about to.
type owner struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	said   chan string   // receives what it says, line by line; closed when it has ended
	dead   chan struct{} // closed when it has ended and left nothing
}

// sayings is how many lines an owner says at most without being asked: its report.
const sayings = 8

// startOwner starts an owner with a first order, and does not wait for it.
func startOwner(program, state, workspace, first string) (*owner, error) {
	cmd := exec.Command(program, daemonRole, state, workspace)
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	o := &owner{cmd: cmd, orders: orders, said: make(chan string, sayings), dead: make(chan struct{})}
	go o.listen(out)
	return o, o.order(first)
}

// listen passes on what the owner says, until it has ended.
func (o *owner) listen(out io.Reader) {
	defer close(o.dead)
	defer close(o.said)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		o.said <- lines.Text()
	}
	_ = o.cmd.Wait() // how it ended is seen from what it left
}

// order sends an order and waits until it is obeyed. An owner that is dead does not mind.
func (o *owner) order(what string) error {
	if _, err := io.WriteString(o.orders, what+"\n"); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	if line, alive := <-o.said; alive && line != what {
		return fmt.Errorf("the owner was told %q and said %q", what, line)
	}
	return nil
}

// errDied says that an owner ended before it owned anything.
var errDied = errors.New("the owner died while it started")

// ready waits until the owner serves. errDied: it was killed first.
func (o *owner) ready(ctx context.Context) error {
	select {
	case line, alive := <-o.said:
		if !alive {
			<-o.dead
			return errDied
		}
		var report struct {
			Error *fault.Error `json:"error"`
		}
		if err := json.Unmarshal([]byte(line), &report); err != nil {
			return fmt.Errorf("the owner said %q: %w", line, err)
		}
		if report.Error != nil {
			return refused(report.Error, "the owner has not started")
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the owner has not started in time: %w", ctx.Err())
	}
}

// killed reports whether the owner is dead, of a signal.
func (o *owner) killed() bool {
	select {
	case <-o.dead:
		return o.cmd.ProcessState.ExitCode() == -1
	default:
		return false
	}
}

// kill ends the owner with SIGKILL, if nothing else has, and waits for its end.
func (o *owner) kill() {
	_ = o.cmd.Process.Kill() // it may be dead
	<-o.dead
	_ = o.orders.Close() // it has no reader any more
}
