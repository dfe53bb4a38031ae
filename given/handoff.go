package given

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// HandOff assembles what one agent leaves for another, from what is declared for the two, and records it once in their
// session. r.Agent is who gets it. Without content there is no block, and nothing is recorded but the event.
//
// Errors: not_found if nothing is declared; too_large for a block beyond limits.Handoff.
func HandOff(ctx context.Context, api Ledger, r Request, from string) (Assembled, error) {
	began := r.Env.Now()
	sources, ok := r.Spec.Handoff(from, r.Agent)
	if !ok {
		return Assembled{}, fault.New(fault.NotFound, "given.handoff",
			"no handoff_context is declared for the transition from %.100q to %.100q", from, r.Agent).WithHint("declare one for a transition in selection.state_machine.states in ctxledger.yaml")
	}
	rec, err := open(ctx, api, r)
	if err != nil {
		return Assembled{}, err
	}
	agent := rec.agent
	out := Assembled{Agent: agent.Name, Session: rec.session.ID}
	others := slices.DeleteFunc(slices.Clone(sources), func(s spec.Source) bool { return s.Kind == spec.OwnHistory })
	if _, err := out.read(ctx, rec, others); err != nil {
		return Assembled{}, err
	}
	head := strings.Replace(handoffHead, "%s", agent.Name, 1)
	out.Handoff = block(head, out.Sections)
	out.Event.Agent, out.Event.From, out.Event.Strategy = agent.Name, rec.display(from, ""), ledger.StrategySpec
	out.Event.ContextChars = utf8.RuneCountInString(out.Handoff)
	n := sessions.Notes{}
	if out.Handoff != "" {
		n = sessions.Notes{Kind: sessions.NotesHandoff, Text: out.Handoff, Agent: out.Event.From, To: agent.Name}
	}
	return out, record(ctx, api, r, out, began, n)
}

// handoff returns what another agent left for this one, until it reached the agent or the agent spoke; else the zero value.
func (rec *reading) handoff(ctx context.Context) (noted, error) {
	left, err := rec.notes(ctx, sessions.NotesHandoff)
	if err != nil {
		return noted{}, err
	}
	var newest noted
	for _, n := range left {
		if rec.Spec.Same(n.To, rec.agent.Name) {
			newest = n
		}
	}
	if newest.seq == 0 {
		return noted{}, nil
	}
	taken, err := rec.notes(ctx, sessions.NotesTaken)
	if err != nil {
		return noted{}, err
	}
	for _, n := range taken {
		if n.seq > newest.seq && rec.Spec.Same(n.To, rec.agent.Name) {
			return noted{}, nil
		}
	}
	own, err := rec.turns(ctx, 1)
	if err == nil && len(own) > 0 && own[0].seq > newest.seq {
		newest = noted{}
	}
	return newest, err
}

// MaxTokens is how large what an agent is given when it starts may be: what a configuration can ask for.
const MaxTokens = spec.MaxSources * spec.MostChars

// Start returns what an agent is given when it starts, as one text: what is declared for it, or else what another agent
// left for it alone. handed says that the text has a handoff.
func Start(ctx context.Context, api Ledger, r Request) (text string, handed bool, err error) {
	if a, ok := r.Spec.Find(r.Agent); ok && len(a.Context) > 0 {
		out, err := Assemble(ctx, api, r)
		return out.Text(), out.Handoff != "", err
	}
	text, err = Pending(ctx, api, r)
	return text, text != "", err
}

// Pending returns what another agent left for an agent in a session, with nothing else; "" for nothing.
func Pending(ctx context.Context, api Ledger, r Request) (string, error) {
	rec, err := open(ctx, api, r)
	if err != nil {
		return "", err
	}
	n, err := rec.handoff(ctx)
	return n.Text, err
}

// maxWaiting is how many sessions are searched for a handoff, the newest.
const maxWaiting = 8

// Waiting returns what another agent left for an agent whose session is another one, and the session where it was left; ""
// for nothing.
func Waiting(ctx context.Context, api Ledger, r Request) (text string, of sessions.Session, err error) {
	if !r.Spec.Receives(r.Agent) {
		return "", of, nil
	}
	page, err := api.Sessions(ctx, ledger.SessionsRequest{Limit: maxWaiting})
	if err != nil {
		return "", of, err
	}
	for _, s := range page.Sessions {
		if r.Session = s; !s.Main() {
			continue
		}
		if text, err = Pending(ctx, api, r); err != nil || text != "" {
			return text, s, err
		}
	}
	return "", of, nil
}

// Taken records that the handoff for the agent of a request reached it.
func (r Request) Taken(ctx context.Context, api ledger.Recorder) error {
	_, err := api.KeepNotes(ctx, ledger.KeepNotesRequest{Session: r.Session.ID,
		Notes: sessions.Notes{Kind: sessions.NotesTaken, To: r.Agent}})
	return err
}
