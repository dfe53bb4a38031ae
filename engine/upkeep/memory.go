package upkeep

import (
	"context"

	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// Memories implements ledger.MemoryStore: forgetting a memory goes the way of everything else that is forgotten.
type Memories struct {
	ledger.MemoryStore
	u *Upkeep
}

// NewMemories returns the memories of an open ledger.
func NewMemories(u *Upkeep) Memories { return Memories{u.core, u} }

// DeleteMemory implements ledger.MemoryStore.
func (m Memories) DeleteMemory(ctx context.Context, r ledger.DeleteMemoryRequest) (memory.Entry, error) {
	if !r.Purge || r.Scope != "" && r.Scope != m.u.core.Scope {
		return m.MemoryStore.DeleteMemory(ctx, r)
	}
	return m.u.memory(ctx, r)
}

// memory forgets a memory with its earlier versions, the stored responses that hold it and its name in events. What it
// returns has no more than the request: the response is stored.
func (l *Upkeep) memory(ctx context.Context, r ledger.DeleteMemoryRequest) (memory.Entry, error) {
	m, err := l.core.NewMutation("delete memory", r.Key, r)
	if err != nil {
		return memory.Entry{}, err
	}
	done, err := l.maintain(ctx, "forgetting")
	if err != nil {
		return memory.Entry{}, err
	}
	defer done()
	defer l.spendReserve()()
	e := newEraser(l, m.At)
	gone, err := core.Mutate(ctx, l.core, m, func(tx kv.Tx) (memory.Entry, []ledger.Event, error) {
		s := &step{Tx: tx, e: e, counts: map[string]int{}}
		old, err := s.memory(l.core.Scope, r.Name)
		return memory.Entry{GUID: old.GUID, Scope: l.core.Scope},
			[]ledger.Event{{Kind: ledger.EventMemory, Detail: "forgotten"}}, err
	})
	if fault.Is(err, fault.NotFound) {
		if resumed := l.resume(ctx); resumed != nil { // it may have been forgotten by a process that was killed
			return memory.Entry{}, resumed
		}
	}
	if err != nil {
		return memory.Entry{}, err
	}
	gone.Name = r.Name
	return gone, l.discard(ctx)
}

// memory forgets a memory in one transaction.
func (s *step) memory(scope memory.Scope, name string) (memory.Entry, error) {
	old, err := memory.Forget(s, scope, name)
	if err != nil {
		return old, err
	}
	if err := s.begin(); err != nil {
		return old, err
	}
	s.e.ids = map[string]bool{old.GUID: true}
	keys, err := s.e.aboutIt(s)
	if err != nil {
		return old, err
	}
	for _, k := range keys {
		if err := s.answer(k); err != nil {
			return old, err
		}
	}
	return old, s.events(func(e *ledger.Event) bool {
		if e.Kind != ledger.EventMemory || e.ID != old.Name {
			return false
		}
		e.ID = ""
		return true
	})
}
