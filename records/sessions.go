package records

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// sessions returns a page of the sessions, the one with the newest entry first.
func (r Reader) sessions(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.API.Sessions(ctx, ledger.SessionsRequest{Limit: pageSize, Skip: b.page.skip})
	if err != nil {
		return nil, err
	}
	node := func(b branch, s sessions.Session) Node { return r.session(b, s, resp.Subagents[s.ID]) }
	return b.followed(nodesOf(b, resp.Sessions, node), resp.Total), nil
}

// session returns the node of a session, with what subagents took that are sessions of their own.
func (r Reader) session(b branch, s sessions.Session, subagents sessions.Bill) Node {
	title := chars.Title(flat(s.Title))
	if title == "" {
		title = "session " + s.ID
	}
	gone := ""
	if s.Forgotten != nil {
		gone = "forgotten"
	}
	cost, prices := r.cost(s, subagents)
	return Node{
		ID: b.here + "/" + s.ID, Kind: KindSession, Label: title, Handle: s.ID, Children: true,
		Description: fields(" · ", gone, cost, r.day(s.Updated), chars.Plural(s.Turns, "turn"),
			cmp.Or(flat(s.Model), flat(s.Host))),
		Tooltip: fields("\n", title, r.facts(s), prices, spent(s.Usage), ids(s)),
		opens:   Address{Kind: KindSession, ID: s.ID},
		Live:    r.Follows && s.Live(r.Now),
	}
}

// facts says in a line whose session it is, with which model, when, and how long.
func (r Reader) facts(s sessions.Session) string {
	return fields(" · ", hostTitle(s), flat(s.Model), r.took(s), chars.Plural(s.Turns, "turn"))
}

// took says when a session began and ended, where the reader is; the day once, where it is one.
func (r Reader) took(s sessions.Session) string {
	began, ended := r.stamp(s.Created), r.stamp(s.Updated)
	if began == ended {
		return began
	}
	day, _, _ := strings.Cut(began, " ")
	return began + " – " + strings.TrimPrefix(ended, day+" ")
}

// spent says what the requests of a session sent and got, all together; "" where nothing was measured.
func spent(u sessions.Usage) string {
	if u.Prompt() == 0 {
		return ""
	}
	return fmt.Sprintf("across all requests: %s input tokens (%s cached), %s output tokens",
		chars.Commas(u.Prompt()), chars.Commas(u.CacheRead), chars.Commas(u.Output))
}

// ids says how ctxledger and the agent name a session, and whose subagent it is.
func ids(s sessions.Session) string {
	return fields("\n", named("session", s.ID), named("session in "+hostTitle(s), s.HostID),
		named("subagent of", s.Parent))
}

// cost says what a session cost so far with its subagents, in short and with what that rests on: an estimate in dollars of
// what has a known price, and what has none; where nothing has, what its requests read and wrote; "" where nothing was measured.
func (r Reader) cost(s sessions.Session, subagents sessions.Bill) (short, prices string) {
	bill := slices.Concat(s.Billed(), subagents)
	sum := bill.Sum()
	if sum == (sessions.Usage{}) {
		return "", ""
	}
	cost := bill.Cost(cmp.Or(r.Models, tokens.Builtin()))
	if len(subagents) > 0 {
		defer func() { prices += ", its subagents included" }()
	}
	if cost.Dollars == nil {
		return chars.Plural(int64(sum.Prompt())+sum.Output, "token"), cost.Words()
	}
	short = chars.Money(*cost.Dollars, true)
	other := func(c sessions.Charge) bool { return c.Model != s.Model }
	if cost.Unpriced == nil && len(subagents) == 0 && !slices.ContainsFunc(bill, other) {
		return short, short + " at the list prices of " + s.Model
	}
	if cost.Unpriced == nil {
		return short, short + " at list prices"
	}
	return short + " + " + chars.Plural(cost.Unpriced.Tokens, "token"),
		short + " at list prices, and " + cost.Unpriced.String()
}

// inSession returns the children of a session: its summaries, then the lists of artifacts and changes if they are not
// empty.
func (r Reader) inSession(ctx context.Context, b branch) ([]Node, error) {
	resp, err := r.API.Summaries(ctx, ledger.SummariesRequest{Session: b.session})
	if err != nil {
		return nil, err
	}
	slices.Reverse(resp.Summaries)
	nodes := b.followed(nodesOf(b, pageOf(b, resp.Summaries), r.summary), len(resp.Summaries))
	if b.page.skip > 0 {
		return nodes, nil
	}
	as, err := r.API.Artifacts(ctx, ledger.ArtifactsRequest{Session: b.session, Limit: 1})
	if err != nil {
		return nil, err
	}
	cs, err := r.API.Changes(ctx, ledger.ChangesRequest{Session: b.session, Limit: 1, NoStale: true})
	if err != nil {
		return nil, err
	}
	for _, l := range []Node{list(b.here+"/", KindArtifacts, "Artifacts", as.Total), list(b.here+"/", KindChanges,
		"Changes", cs.Total)} {
		if l.Children {
			nodes = append(nodes, l)
		}
	}
	return nodes, nil
}
