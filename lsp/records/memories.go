package records

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/memory"
)

// maxMemoryPages bounds how many pages of memories are asked for: 10,000 of them are more than anybody has.
const maxMemoryPages = 10

// allMemories returns the memories of both scopes, without their bodies, by name.
func (r Reader) allMemories(ctx context.Context) (engine.MemoriesResponse, error) {
	all, err := r.API.Memories(ctx, engine.MemoriesRequest{})
	for range maxMemoryPages {
		if err != nil || all.Next == "" {
			break
		}
		var page engine.MemoriesResponse
		page, err = r.API.Memories(ctx, engine.MemoriesRequest{After: all.Next})
		all.Entries, all.Next = append(all.Entries, page.Entries...), page.Next
	}
	return all, err
}

// memories lists a page of the memories of the project, then of the user.
func (r Reader) memories(ctx context.Context, b branch) ([]Node, error) {
	all, err := r.allMemories(ctx)
	if err != nil {
		return nil, err
	}
	rest := all.Entries[min(b.page.skip, len(all.Entries)):]
	nodes := make([]Node, 0, pageSize+1)
	for _, m := range rest[:min(pageSize, len(rest))] {
		nodes = append(nodes, r.memory(b, m))
	}
	return b.followed(nodes, len(all.Entries)), nil
}

// memory is the node of a memory.
func (r Reader) memory(b branch, m memory.Entry) Node {
	a := Address{Kind: KindMemory, Scope: m.Scope, ID: m.Name}
	return Node{
		ID: b.here + "/" + escape(string(m.Scope)+"/"+m.Name), Kind: KindMemory, Label: oneLine(m.Name),
		Description: fields(" · ", string(m.Scope), oneLine(m.Description)),
		Tooltip: fields("\n", oneLine(m.Name), oneLine(m.Description), named("scope", string(m.Scope)), named("type", m.Type),
			named("saved by", m.Source), named("created", r.stamp(m.Created)), named("updated", r.stamp(m.Updated))),
		URI: a.String(),
	}
}
