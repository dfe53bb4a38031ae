package mcp

import (
	"context"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// keepNotes records the notes of a call that compacted nothing, so that the next document has them.
func (a *compactArgs) keepNotes(ctx context.Context, c *call, r *compactResult) error {
	if strings.TrimSpace(a.Notes) == "" || a.DryRun {
		return nil
	}
	s, err := c.api.KeepNotes(ctx, ledger.KeepNotesRequest{
		Mutation: ledger.Mutation{Key: a.key("notes")}, Session: r.Session, Host: hostName,
		Notes: sessions.Notes{Text: a.Notes},
	})
	if err != nil {
		return err
	}
	r.Session = s.ID
	r.Reason = strings.TrimSuffix(r.Reason, " Nothing was changed.") +
		" The notes are kept: the next summary and the `resume` prompt have them."
	return nil
}

// handOff answers for a chat that is not recorded. Its notes are recorded, and returned with what else the ledger has
// for a new chat: the same that the prompt resume gives there.
func (a *compactArgs) handOff(ctx context.Context, c *call, unknown error) (reply, error) {
	r := compactResult{Status: statusRefused, Reason: unknown.Error() + ": " + fault.HintOf(unknown) +
		". Nothing was changed."}
	if strings.TrimSpace(a.Notes) == "" || a.DryRun {
		return answer(r), nil
	}
	if err := a.keepNotes(ctx, c, &r); err != nil {
		return reply{}, err
	}
	r.Status = statusHandedOff
	r.Reason = "this chat is not recorded; its notes are, with what the ledger has of this workspace"
	r.Delivery = "to continue in a new chat, open it with the `resume` prompt"
	if a.Return == "receipt" {
		return answer(r), nil
	}
	text, err := handoff(ctx, c, r.Session)
	if err != nil {
		return reply{}, err
	}
	r.Summary = text
	r.Delivery += ", or give it this text"
	return answer(r), nil
}
