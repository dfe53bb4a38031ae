package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
)

// daemonRole is the argument that makes a program of ctxledger the daemon of the state directory and
// workspace that follow it, see engine/daemon.
const daemonRole = "__daemon"

// order arms a failpoint in an owner. The zero value arms none.
type order struct {
	point string
	nth   int64 // from 1: at which hit the owner dies
}

// String returns the order as it is sent.
func (o order) String() string { return fmt.Sprintf("%s %d\n", o.point, o.nth) }

// Obey arms the failpoints that the harness orders on an owner's standard input. The first order is
// taken before it returns; work ends the process when the harness is gone.
func Obey(orders io.Reader, gone func()) error {
	lines := bufio.NewScanner(orders)
	if !lines.Scan() {
		return fault.New(fault.Invalid, "crashtest.obey", "this owner was not started by the harness")
	}
	if err := obey(lines.Text()); err != nil {
		return err
	}
	go func() {
		for lines.Scan() {
			if obey(lines.Text()) != nil {
				break
			}
		}
		gone()
	}()
	return nil
}

// obey arms what one line orders.
func obey(line string) error {
	var o order
	if _, err := fmt.Sscan(line, &o.point, &o.nth); err != nil {
		return fault.Wrap(fault.Invalid, "crashtest.obey", err)
	}
	if o.point == none {
		return nil
	}
	return failpoint.Arm(o.point, o.nth)
}

// none is the point of an order that arms nothing.
const none = "-"

// owner is a process that owns a ledger, or is about to.
type owner struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	said   chan string   // receives its first line, or "" when it ended without one
	dead   chan struct{} // closed when it has ended
}

// startOwner starts an owner with a first order, and does not wait for it.
func startOwner(program, state, workspace string, first order) (*owner, error) {
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
	o := &owner{cmd: cmd, orders: orders, said: make(chan string, 1), dead: make(chan struct{})}
	go func() {
		defer close(o.dead)
		line, _ := bufio.NewReader(out).ReadString('\n') // "" says that there is none
		o.said <- line
		_ = cmd.Wait() // how it ended is seen from what it left
	}()
	if first.point == "" {
		first = order{point: none}
	}
	return o, o.order(first)
}

// order sends an order. An owner that is dead does not mind.
func (o *owner) order(what order) error {
	if _, err := io.WriteString(o.orders, what.String()); err != nil && !strings.Contains(err.Error(), "broken pipe") {
		return err
	}
	return nil
}

// errDied says that an owner ended before it owned anything.
var errDied = errors.New("the owner died while it started")

// ready waits until the owner serves. errDied: it was killed first.
func (o *owner) ready(ctx context.Context) error {
	select {
	case line := <-o.said:
		if line == "" {
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
			return report.Error
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
	_ = o.orders.Close() // nobody reads it
}
