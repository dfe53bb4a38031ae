package records

import (
	"cmp"
	"context"
	"slices"

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
	in := s.Usage.Input + s.Usage.CacheRead + s.Usage.CacheWrite
	cost, prices := r.cost(s, subagents)
	return Node{
		ID: b.here + "/" + s.ID, Kind: KindSession, Label: title, Handle: s.ID, Children: true,
		Description: fields(" · ", gone, cost, r.day(s.Updated), chars.Plural(s.Turns, "turn"),
			cmp.Or(flat(s.Model), flat(s.Host))),
		Tooltip: fields("\n", title, named("session", s.ID), named("agent", s.Host), named("agent's own id", s.HostID),
			named("subagent of", s.Parent),
			named("model", s.Model), named("cost so far", prices), named("directory", s.Dir), named("started",
				r.stamp(s.Created)), named("newest entry", r.stamp(s.Updated)),
			named("turns", chars.Commas(s.Turns)), named("entries", chars.Commas(s.Seq)), named("input so far",
				chars.Plural(in, "token")), named("output so far", chars.Plural(s.Usage.Output, "token"))),
		opens: Address{Kind: KindSession, ID: s.ID},
		Live:  r.Follows && s.Live(r.Now),
	}
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
