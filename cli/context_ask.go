package cli

import (
	"context"

	"ctxledger.dev/carried"
	"ctxledger.dev/trust"
)

// askServer asks an MCP server for its tools, once the person has confirmed what that runs, and records them.
func askServer(ctx context.Context, a *action, r carried.Report, o contextOptions) error {
	host, part, err := r.Server(o.ask, o.agent)
	if err != nil {
		return err
	}
	if part.Own() && !part.Unknown {
		a.say("%s is ctxledger's own server: what it costs is known without asking", part.Name)
		return nil
	}
	ask, err := trust.FindServer(a.Env, a.place.Root, host, part)
	if err != nil {
		return err
	}
	var approved trust.ApprovedServer
	if o.yes {
		a.say("asking %s for its tools, as --yes confirms:", part.Name)
		ask.Print(a.Err, a.masks.String)
		approved, err = trust.ApproveServer(ask, ask.Digest())
	} else {
		approved, err = trust.ConfirmServer(ask, a.In, a.Err, a.masks.String)
	}
	if err != nil {
		return err
	}
	answer, err := a.AskServer(ctx, approved)
	if err != nil {
		return err
	}
	_, err = a.ledger.KeepServer(ctx, answer.Kept(ask))
	return err
}
