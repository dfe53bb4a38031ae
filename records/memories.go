package records

import (
	"context"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// maxMemoryPages bounds the pages of memories that are read: 10,000 memories.
const maxMemoryPages = 10

// allMemories returns the memories of both scopes, without their bodies, by name.
func (r Reader) allMemories(ctx context.Context) (ledger.MemoriesResponse, error) {
	all, err := r.API.Memories(ctx, ledger.MemoriesRequest{})
	for range maxMemoryPages {
		if err != nil || all.Next == "" {
			break
		}
		var page ledger.MemoriesResponse
		page, err = r.API.Memories(ctx, ledger.MemoriesRequest{After: all.Next})
		all.Entries, all.Next = append(all.Entries, page.Entries...), page.Next
	}
	return all, err
}

// memories returns a page of the memories, those of the project before those of the user.
func (r Reader) memories(ctx context.Context, b branch) ([]Node, error) {
	all, err := r.allMemories(ctx)
	if err != nil {
		return nil, err
	}
	return b.followed(nodesOf(b, pageOf(b, all.Entries), r.memory), len(all.Entries)), nil
}

// memory returns the node of a memory.
func (r Reader) memory(b branch, m memory.Entry) Node {
	return Node{
		ID: b.here + "/" + escape(string(m.Scope)+"/"+m.Name), Kind: KindMemory, Label: flat(m.Name),
		Description: fields(" · ", string(m.Scope), flat(m.Description)),
		Tooltip: fields("\n", flat(m.Name), flat(m.Description), named("scope", string(m.Scope)), named("type", m.Type),
			named("saved by", m.Source), named("created", r.stamp(m.Created)), named("updated", r.stamp(m.Updated))),
		opens: Address{Kind: KindMemory, Scope: m.Scope, ID: m.Name},
	}
}

// memoryText returns a memory with its metadata.
func (r Reader) memoryText(ctx context.Context, scope memory.Scope, name string) (string, error) {
	m, err := r.API.Memory(ctx, ledger.MemoryRequest{Scope: scope, Name: name})
	if err != nil {
		return "", err
	}
	text, _, err := r.document(ctx, "# "+literal(flat(m.Name))+"\n\n"+
		item(code(flat(m.Description)))+
		item("memory of the "+string(m.Scope)+", type "+code(flat(m.Type)))+
		item(fields(" ", "saved", r.stamp(m.Updated), by(m.Source)))+
		item(created(r.stamp(m.Created), r.stamp(m.Updated)))+
		"\n"+Fence(m.Body, "markdown"), true)
	return text, err
}

// by says who saved a memory.
func by(source string) string {
	if source = flat(source); source == "" {
		return ""
	}
	return "by " + code(source)
}

// created says when a memory was first saved, if it was changed later.
func created(first, last string) string {
	if first == last {
		return ""
	}
	return "first saved " + first
}
