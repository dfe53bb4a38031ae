package hook

import (
	"context"
	"strings"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/given"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// started answers SubagentStart: with what the configuration declares for the agent, and with what another agent left for it.
// A subagent of which nothing is declared costs nothing.
func (r *run) started(ctx context.Context) ([]byte, error) {
	if !r.Given.Concerns(r.event.AgentType) {
		return nil, nil
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if r.Read != nil && r.event.Transcript != "" {
		soon, cancel := context.WithTimeout(ctx, claudecode.Lag)
		_ = r.Read(soon, r.event.Transcript) // what is not read yet is left out
		cancel()
	}
	recording, cancel := lasting(ctx)
	defer cancel()
	begun, err := r.api.BeginSession(recording, ledger.BeginSessionRequest{LiveSession: r.live})
	if err != nil {
		return nil, err
	}
	request := given.Request{Spec: r.Given, Agent: r.event.AgentType, HasTask: true, Root: r.Root, Env: r.Env}
	if request.Session, err = given.Root(ctx, r.api, begun.Session); err != nil {
		return nil, err
	}
	text, handed, err := given.Start(ctx, r.api, request)
	if err != nil {
		return nil, err
	}
	var texts []string
	if a, _ := r.Given.Find(r.event.AgentType); len(a.Context) > 0 { // else it is a subagent like any other
		if texts, err = r.lacking(ctx, begun.Session, nil); err != nil {
			return nil, err
		}
	}
	told, err := r.hand(ctx, begun.Session.Hooked, text, request, handed)
	if told != "" {
		texts = append(texts, told)
	}
	return r.event.Context(strings.Join(texts, "\n\n")), err
}

// waiting returns what another agent left for the one that the main conversation is.
func (r *run) waiting(ctx context.Context, h *sessions.Hooked) (string, error) {
	request := given.Request{Spec: r.Given, Agent: string(claudecode.Name), Root: r.Root, Env: r.Env}
	text, of, err := given.Waiting(ctx, r.api, request)
	if err != nil || text == "" {
		return "", err
	}
	request.Session = of
	return r.hand(ctx, h, text, request, true)
}

// hand returns a text if the context lacks it. A handoff counts as delivered when the text was written.
func (r *run) hand(
	ctx context.Context, h *sessions.Hooked, text string, request given.Request, handed bool,
) (string, error) {
	texts, _, err := r.tell(ctx, h, given.MaxTokens, digested("given", text, ""))
	if err != nil || len(texts) == 0 {
		return "", err
	}
	if handed {
		r.later = append(r.later, func(ctx context.Context, told bool) error {
			if !told {
				return nil
			}
			return request.Taken(ctx, r.api)
		})
	}
	return texts[0], nil
}
