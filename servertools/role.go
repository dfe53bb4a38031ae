package servertools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/trust"
)

// Main asks one server if the arguments of the program say so: what in names, until in ends. It prints a Reply to out,
// and the program must end with exit. Otherwise handled is false and nothing has happened.
func Main(args []string, e env.Env, in io.Reader, out io.Writer) (handled bool, exit int) {
	if len(args) < 2 || args[1] != asking.Role {
		return false, 0
	}
	if len(args) != 2 {
		return true, 2 // only package asking calls this
	}
	var reply asking.Reply
	answer, err := answerOf(e, in)
	if err == nil {
		reply.Answer = &answer
	} else {
		reply.Error = flat(err)
	}
	if json.NewEncoder(out).Encode(reply) != nil {
		return true, 1
	}
	return true, 0
}

// flat is an error without its causes, whose texts are in its message.
func flat(err error) *fault.Error {
	return &fault.Error{Code: fault.CodeOf(err), Op: op, Message: err.Error(), Hint: fault.HintOf(err)}
}

// answerOf reads a request, asks the server and ends it, at once when in ends. The caller wrote the request and then
// nothing more: it closes in, or the system does when it ends.
func answerOf(e env.Env, in io.Reader) (asking.Answer, error) {
	var r asking.Request
	lines := bufio.NewReaderSize(in, asking.MaxRequest)
	line, err := lines.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return asking.Answer{}, fault.New(fault.Invalid, op, "not a request")
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	go func() { // it ends with its input, or with the process: a read cannot be interrupted
		_, _ = io.Copy(io.Discard, lines)
		stop(errors.New("the caller has exited"))
	}()
	approved, err := approvedFor(ctx, e, r)
	if err != nil {
		return asking.Answer{}, err
	}
	return Ask(ctx, approved, redact.New([]byte(e.ID(32))).String)
}

// approvedFor finds the server again and approves what has the digest that the person approved. Errors: denied for
// anything else; not_found; those of trust.FindServer.
func approvedFor(ctx context.Context, e env.Env, r asking.Request) (approved trust.ApprovedServer, err error) {
	err = fault.New(fault.NotFound, op, "MCP server %.200q is no longer in %s", r.Server, r.File).
		WithHint("save its configuration, if an editor has it open, and confirm it again")
	report := carried.Find(ctx, carried.Options{Agents: registry.Carried(), Root: r.Root, Env: e})
	for _, host := range report.Hosts {
		for _, p := range host.Parts {
			if host.Name != r.Host || p.Kind != carried.Server || p.Name != r.Server || p.Path != r.File {
				continue
			}
			var ask trust.ServerAsk
			if ask, err = trust.FindServer(e, r.Root, host, p); err == nil {
				approved, err = trust.ApproveServer(ask, r.Approved)
			}
			if err == nil {
				return approved, nil
			}
		}
	}
	return approved, err
}
