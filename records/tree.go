package records

import (
	"context"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

// Nodes returns the children of a node, newest first, memories by name. "" is the root of the tree.
//
// Errors: invalid for an id that is not of a node with children; those of the ledger.
func (r Reader) Nodes(ctx context.Context, parent string) ([]Node, error) {
	nodes, err := r.below(ctx, parent)
	if err != nil {
		return nil, err
	}
	return nodes, r.safe(ctx, nodes)
}

func (r Reader) below(ctx context.Context, parent string) ([]Node, error) {
	if parent == "" {
		return r.roots(ctx)
	}
	b, err := parseBranch(parent)
	if err != nil {
		return nil, err
	}
	switch b.kind {
	case KindSessions:
		return r.sessions(ctx, b)
	case KindSession:
		return r.inSession(ctx, b)
	case KindArtifacts:
		return r.artifacts(ctx, b)
	case KindMemories:
		return r.memories(ctx, b)
	case KindFile:
		return r.ofFile(ctx, b)
	default:
		return r.changes(ctx, b)
	}
}

// roots returns the lists at the root of the tree.
func (r Reader) roots(ctx context.Context) ([]Node, error) {
	ss, err := r.API.Sessions(ctx, ledger.SessionsRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	as, err := r.API.Artifacts(ctx, ledger.ArtifactsRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	ms, err := r.allMemories(ctx)
	if err != nil {
		return nil, err
	}
	cs, err := r.API.Changes(ctx, ledger.ChangesRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	info, err := r.API.Info(ctx, ledger.InfoRequest{})
	if err != nil {
		return nil, err
	}
	sessions := list("", KindSessions, "Sessions", ss.Total)
	if sessions.Tooltip = info.NotFollowed(""); sessions.Tooltip != "" && ss.Total == 0 {
		sessions.Description = "not followed"
	}
	changes := list("", KindChanges, "Changes", cs.Total)
	if changes.Tooltip = sessions.Tooltip; changes.Tooltip != "" && cs.Total == 0 {
		changes.Description = "not known"
	}
	memory := list("", KindMemories, "Memory", len(ms.Entries))
	memory.Tooltip = fields("\n", ms.Notes...) // what could not be read
	return []Node{
		sessions,
		list("", KindArtifacts, "Artifacts", as.Total),
		memory,
		changes,
	}, nil
}

// list returns the node of a list of n records below a place.
func list(place string, kind Kind, label string, n int) Node {
	return Node{ID: place + string(kind), Label: label, Description: chars.Commas(n), Kind: kind, Children: n > 0}
}
