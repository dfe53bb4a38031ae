package ledger

import (
	"context"

	"ctxledger.dev/memory"
)

// MemoryStore keeps facts that outlive sessions.
type MemoryStore interface {
	// SaveMemory writes a memory, with secrets masked. conflict: the name belongs to another author's fact.
	SaveMemory(ctx context.Context, r SaveMemoryRequest) (memory.Entry, error)
	// Memories lists, or with a query ranks, the memories of the scopes asked for.
	Memories(ctx context.Context, r MemoriesRequest) (MemoriesResponse, error)
	// Memory returns one memory with its body.
	Memory(ctx context.Context, r MemoryRequest) (memory.Entry, error)
	// DeleteMemory deletes one memory, and returns it. RestoreMemory brings it back, unless it was purged.
	DeleteMemory(ctx context.Context, r DeleteMemoryRequest) (memory.Entry, error)
	// RestoreMemory undoes what happened to a memory last: its deletion or a change.
	RestoreMemory(ctx context.Context, r RestoreMemoryRequest) (memory.Entry, error)
}

// SaveMemoryRequest writes one memory.
type SaveMemoryRequest struct {
	Mutation
	memory.Entry
	// Overwrite allows replacing another author's fact.
	Overwrite bool `json:"overwrite,omitempty"`
}

// MemoriesRequest lists memories, or ranks them against a query.
type MemoriesRequest struct {
	Scope memory.Scope `json:"scope,omitempty"` // empty: both
	Query string       `json:"query,omitempty"` // empty: all, by name
	Limit int          `json:"limit,omitempty"` // 0: 5 with a query, else 1,000
	Body  bool         `json:"body,omitempty"`  // whether bodies come along
	After string       `json:"after,omitempty"` // cursor: the Next of the page before
}

// MemoriesResponse lists memories. Notes says in words what could not be looked at.
type MemoriesResponse struct {
	Entries []memory.Entry `json:"entries"`
	Next    string         `json:"next,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
}

// MemoryRequest names one memory. An empty scope means project first, then user.
type MemoryRequest struct {
	Name  string       `json:"name"`
	Scope memory.Scope `json:"scope,omitempty"`
}

// DeleteMemoryRequest deletes one memory.
type DeleteMemoryRequest struct {
	Mutation
	Name  string       `json:"name"`
	Scope memory.Scope `json:"scope,omitempty"`
}

// RestoreMemoryRequest restores one memory.
type RestoreMemoryRequest struct {
	Mutation
	Name  string       `json:"name"`
	Scope memory.Scope `json:"scope,omitempty"`
}
