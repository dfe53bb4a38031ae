package core

import (
	"cmp"
	"context"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// defaultRecall is the number of memories that a query without a limit returns.
const defaultRecall = 5

// SaveMemory implements ledger.MemoryStore. An empty scope is that of this ledger. Secrets are masked before they are
// stored: a memory goes to other sessions and other agents.
func (l *Ledger) SaveMemory(ctx context.Context, r ledger.SaveMemoryRequest) (memory.Entry, error) {
	m := l.NewMutation("save memory", r.Key, r).Check(l.checkScope(r.Scope))
	r.Scope = l.Scope
	for _, date := range []*time.Time{&r.Entry.Created, &r.Entry.Updated} {
		if date.IsZero() { // a file says it of what is imported
			*date = m.At
		}
	}
	id := l.Env.ID(16)
	maskMemory(l.Masks, &r.Entry)
	n := r.Entry.Masked
	return Mutate(ctx, l, m, func(tx kv.Tx) (memory.Entry, []ledger.Event, error) {
		before, err := memory.Get(tx, r.Scope, r.Name)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return memory.Entry{}, nil, err
		}
		e, err := memory.Save(tx, r.Entry, id, r.Overwrite)
		if err != nil || e == before {
			return e, nil, err
		}
		e.Masked = n
		return e, []ledger.Event{{Kind: ledger.EventMemory, ID: e.Name, Detail: "saved"}}, nil
	})
}

// Memories implements ledger.MemoryStore, for the scope that this ledger holds.
func (l *Ledger) Memories(ctx context.Context, r ledger.MemoriesRequest) (ledger.MemoriesResponse, error) {
	resp := ledger.MemoriesResponse{Entries: []memory.Entry{}}
	if err := cmp.Or(l.checkScope(r.Scope),
		CheckTexts("engine.memory", Text("query", r.Query, MaxQuery), Label("cursor", r.After))); err != nil {
		return resp, err
	}
	return View(ctx, l, func(tx kv.Tx) (ledger.MemoriesResponse, error) {
		var err error
		if r.Query != "" {
			resp.Entries, err = memory.Recall(tx, l.Scope, r.Query,
				min(cmp.Or(max(r.Limit, 0), defaultRecall), maxList))
		} else {
			resp.Entries, resp.Next, err = memory.List(tx, l.Scope, r.After,
				min(cmp.Or(max(r.Limit, 0), maxList), maxList))
		}
		fitMemories(&resp, r.Body)
		return resp, err
	})
}

// fitMemories removes bodies that were not requested, and entries that exceed a page.
func fitMemories(r *ledger.MemoriesResponse, bodies bool) {
	for i := range r.Entries {
		if !bodies {
			r.Entries[i].Body = ""
		}
	}
	fits := Fitting(r.Entries, limits.Page, func(e memory.Entry) int {
		return 400 + len(e.Name) + len(e.Description) + len(e.Source) + len(e.Body)
	})
	if len(fits) < len(r.Entries) {
		r.Next = fits[len(fits)-1].Name
	}
	r.Entries = OrEmpty(fits)
}

// Memory implements ledger.MemoryStore.
func (l *Ledger) Memory(ctx context.Context, r ledger.MemoryRequest) (memory.Entry, error) {
	if err := l.checkScope(r.Scope); err != nil {
		return memory.Entry{}, err
	}
	return View(ctx, l, func(tx kv.Tx) (memory.Entry, error) { return memory.Get(tx, l.Scope, r.Name) })
}

// DeleteMemory implements ledger.MemoryStore.
func (l *Ledger) DeleteMemory(ctx context.Context, r ledger.DeleteMemoryRequest) (memory.Entry, error) {
	m := l.NewMutation("delete memory", r.Key, r).Check(l.checkScope(r.Scope))
	return Mutate(ctx, l, m, func(tx kv.Tx) (memory.Entry, []ledger.Event, error) {
		e, err := memory.Delete(tx, l.Scope, r.Name, m.At)
		return e, []ledger.Event{{Kind: ledger.EventMemory, ID: e.Name, Detail: "deleted"}}, err
	})
}

// RestoreMemory implements ledger.MemoryStore.
func (l *Ledger) RestoreMemory(ctx context.Context, r ledger.RestoreMemoryRequest) (memory.Entry, error) {
	m := l.NewMutation("restore memory", r.Key, r).Check(l.checkScope(r.Scope))
	return Mutate(ctx, l, m, func(tx kv.Tx) (memory.Entry, []ledger.Event, error) {
		e, err := memory.Restore(tx, l.Scope, r.Name, m.At)
		return e, []ledger.Event{{Kind: ledger.EventMemory, ID: e.Name, Detail: "restored"}}, err
	})
}

func (l *Ledger) checkScope(s memory.Scope) error {
	if s == "" || s == l.Scope {
		return nil
	}
	return fault.New(fault.Invalid, "engine.memory", "this ledger keeps memories of scope %q, not %q", l.Scope, s)
}
