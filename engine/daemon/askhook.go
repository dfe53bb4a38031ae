package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// AskHook has the daemon of the ledger in o.State answer an event of an agent's hooks, and starts none. The event is sent
// along with the greeting: it takes one round trip. ctx bounds all of it, and connecting the time until the daemon greets.
//
// Errors: those of the answer; unavailable when there is no daemon or it does not answer in time.
func AskHook(ctx context.Context, o Options, e HookEvent, connecting time.Duration) ([]byte, error) {
	const op = "daemon.hook"
	own, err := readOwner(o.State)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, noDaemon(o.State)
	case err != nil:
		return nil, err
	case own.holds():
		return nil, own.exclusive(op, o.State)
	case own.InProcess:
		return nil, noDaemon(o.State) // it crashed
	}
	begun := o.Env.Now()
	network, target, err := splitAddress(own.Address)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(soon, network, target)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, fmt.Errorf("%w: %w", errNobody, err))
	}
	defer conn.Close() // the answer is here, or is not wanted any more
	until, _ := ctx.Deadline()
	_ = conn.SetDeadline(until)
	e.Deadline = until.Sub(begun).Milliseconds()
	w := bufio.NewWriter(conn)
	err = writeJSON(w, hello{Protocol: protocol, Token: own.Token, Version: o.Version, Want: wantHook})
	if err == nil {
		err = writeJSON(w, e)
	}
	if err == nil {
		err = sendBytes(w, e.Input)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil // the daemon has refused: it says why
	}
	_ = conn.SetReadDeadline(begun.Add(connecting))
	in := bufio.NewReader(conn)
	var greeted welcome
	if err == nil {
		err = readJSON(in, limits.Frame, &greeted)
	}
	if err == nil && greeted.Error != nil {
		return nil, greeted.Error
	}
	var answer response
	_ = conn.SetReadDeadline(until)
	if err == nil {
		err = readJSON(in, limits.Frame, &answer)
	}
	if err == nil && answer.Error != nil {
		return nil, answer.Error
	}
	var out []byte
	if err == nil {
		out, err = io.ReadAll(&streamReader{r: in})
	}
	return out, fault.Wrap(fault.Unavailable, op, err)
}
