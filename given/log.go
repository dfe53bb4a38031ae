package given

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Log records what an agent notes for others: the session context, an attempt, or a hypothesis, which gets an id if it has
// none. Of a known one that says nothing new the text stays. s is the session, the zero value for a new one of the host.
// It returns what was recorded, and the id of the session.
//
// Errors: invalid for an empty text; not_found for a hypothesis that is not logged.
func Log(
	ctx context.Context, api Ledger, s sessions.Session, host string, n sessions.Notes,
) (sessions.Notes, string, error) {
	const op = "given.log"
	n.Text, n.Reason, n.Agent = strings.TrimSpace(n.Text), strings.TrimSpace(n.Reason), strings.TrimSpace(n.Agent)
	if n.Kind == sessions.NotesHypothesis {
		n.Status = cmp.Or(n.Status, sessions.StatusOpen)
		var known []sessions.Notes
		var err error
		if s.ID != "" {
			if known, err = Notes(ctx, api, s, n.Kind); err != nil {
				return n, "", err
			}
		}
		texts := map[string]string{}
		for _, k := range known {
			texts[k.ID] = k.Text
		}
		if text, logged := texts[n.ID]; logged {
			n.Text = cmp.Or(n.Text, text)
		} else if n.ID != "" {
			return n, "", fault.New(fault.NotFound, op, "no hypothesis %.100q is logged", n.ID).
				WithHint("leave the id out to log a new one")
		} else {
			n.ID = "h" + strconv.Itoa(len(texts)+1)
		}
	}
	if n.Text == "" {
		what := map[sessions.NotesKind]string{sessions.NotesContext: "summary", sessions.NotesAttempt: "attempt",
			sessions.NotesHypothesis: "hypothesis"}[n.Kind]
		return n, "", fault.New(fault.Invalid, op, "%s must not be empty.", what)
	}
	kept, err := api.KeepNotes(ctx, ledger.KeepNotesRequest{Session: s.ID, Host: host, Notes: n})
	return n, kept.ID, err
}
