package link

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// HookAnswer is what a daemon answers to an event. It has to be closed.
type HookAnswer struct {
	Out  []byte // what is to be printed
	conn net.Conn
}

// Told tells the daemon that the answer was printed. Without it the daemon takes it for lost, and says it again. Nobody
// waits for anything.
func (a HookAnswer) Told() {
	if a.conn != nil && len(a.Out) > 0 {
		_ = WriteFrame(a.conn, nil) // to a daemon that is gone: the next one says it again
	}
}

// Close ends the connection of the answer.
func (a HookAnswer) Close() {
	if a.conn != nil {
		_ = a.conn.Close() // what was sent arrives
	}
}

// Hook has the daemon of the ledger in o.State answer an event of an agent's hooks, and starts none. The event is sent
// along with the hello, so that all takes one round trip. ctx, which has a deadline, bounds all of it; connecting bounds
// the time until the daemon's welcome.
//
// Errors: those of the answer; unavailable when there is no daemon or it does not answer in time.
func Hook(ctx context.Context, o Options, e HookEvent, connecting time.Duration) (HookAnswer, error) {
	own, err := ReadOwner(o.State)
	switch {
	case fault.Is(err, fault.NotFound):
		return HookAnswer{}, noDaemon(o.State)
	case err != nil:
		return HookAnswer{}, err
	case own.Holds():
		return HookAnswer{}, own.Exclusive("daemon.hook", o.State)
	}
	soon, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	conn, err := own.connect(soon)
	if errors.Is(err, ErrNobody) {
		return HookAnswer{}, noDaemon(o.State) // it crashed and left owner.json
	}
	if err != nil {
		return HookAnswer{}, err
	}
	a := HookAnswer{conn: conn}
	if a.Out, err = ask(ctx, soon, conn, own, o, e); err != nil {
		a.Close()
		return HookAnswer{}, err
	}
	return a, nil
}

// ask sends an event and reads the answer. soon bounds the time until the daemon's welcome.
func ask(ctx, soon context.Context, conn net.Conn, own Owner, o Options, e HookEvent) ([]byte, error) {
	until, _ := ctx.Deadline()
	e.Deadline = time.Until(until).Milliseconds()
	_ = conn.SetDeadline(until) // fails only on a connection that has ended
	if err := postHook(conn, own, o.Version, e); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, silent(ctx, own)
	} // after any other error, the daemon has said why it closed the connection
	in := bufio.NewReaderSize(conn, ReadAhead)
	welcomed, _ := soon.Deadline()
	_ = conn.SetReadDeadline(welcomed)
	var w Welcome
	switch err := ReadJSON(in, limits.Frame, &w); {
	case err != nil:
		return nil, silent(soon, own)
	case w.Protocol < Protocol: // it knows no hooks
		return nil, errors.Join(olderOwner(), askToLeave(ctx, own))
	case w.Error != nil:
		return nil, w.Error
	}
	_ = conn.SetReadDeadline(until)
	out, err := hookAnswer(in)
	if err == nil {
		return out, nil
	}
	if _, said := errors.AsType[*fault.Error](err); !said {
		err = fault.New(fault.Unavailable, "daemon.hook", "the daemon with pid %d has not answered in time: %s",
			w.PID, err)
	}
	return nil, err
}

// postHook sends an event along with the hello.
func postHook(conn net.Conn, own Owner, version string, e HookEvent) error {
	w := bufio.NewWriterSize(conn, ReadAhead)
	h := Hello{Protocol: Protocol, Token: own.Token, Version: version, Want: WantHook}
	if err := WriteJSON(w, h); err != nil {
		return err
	}
	if err := WriteJSON(w, e); err != nil {
		return err
	}
	if err := SendBytes(w, e.Input); err != nil {
		return err
	}
	return w.Flush()
}

// hookAnswer reads the answer to an event.
func hookAnswer(in io.Reader) ([]byte, error) {
	var r Response
	if err := ReadJSON(in, limits.Frame, &r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		return nil, r.Error
	}
	return io.ReadAll(NewStreamReader(in))
}

// olderOwner says that an owner has an older protocol, which is a reason to replace it.
func olderOwner() error {
	return fault.New(fault.Unavailable, "daemon.open", "an older owner was asked to exit")
}
