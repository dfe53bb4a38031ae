package crashtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// inventory is what a ledger lists as a whole. Each thing in it must be claimed by an actor.
type inventory struct {
	sessions  []sessions.Session
	artifacts []artifacts.Artifact
	memories  []memory.Entry

	mu      sync.Mutex
	claimed map[string]bool // guarded by mu; by kind and name
}

// everything is more than a ledger of a series ever holds.
const everything = 1000

// takeInventory lists a ledger, and makes sure that its events have no gap.
func takeInventory(ctx context.Context, api ledger.API) (*inventory, error) {
	s, err := api.Sessions(ctx, ledger.SessionsRequest{Limit: everything})
	if err != nil {
		return nil, err
	}
	a, err := api.Artifacts(ctx, ledger.ArtifactsRequest{Limit: everything})
	if err != nil {
		return nil, err
	}
	m, err := api.Memories(ctx, ledger.MemoriesRequest{Body: true, Limit: everything})
	if err != nil {
		return nil, err
	}
	if s.Total != len(s.Sessions) || a.Total != len(a.Artifacts) || m.Next != "" {
		return nil, fmt.Errorf("the ledger of a series has become too large to be listed at once")
	}
	if err := checkEvents(ctx, api); err != nil {
		return nil, err
	}
	return &inventory{sessions: s.Sessions, artifacts: a.Artifacts, memories: m.Entries, claimed: map[string]bool{}},
		nil
}

// checkEvents reads all events: their numbers rise by one from the first.
func checkEvents(ctx context.Context, api ledger.API) error {
	for after := int64(0); ; {
		page, err := api.WaitEvents(ctx, ledger.WaitEventsRequest{After: after, Limit: everything})
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if after++; e.Seq != after {
				return violated("event %d stands where %d should", e.Seq, after)
			}
		}
		if len(page.Events) == 0 {
			return nil
		}
	}
}

// claim says that somebody answers for a thing.
func (v *inventory) claim(kind, name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.claimed[kind+" "+name] = true
}

// unclaimed returns an error for records that no lane claims.
func (v *inventory) unclaimed() error {
	var names []string
	for _, s := range v.sessions {
		names = append(names, "session "+s.ID)
	}
	for _, a := range v.artifacts {
		names = append(names, "artifact "+a.ID)
	}
	for _, m := range v.memories {
		names = append(names, "memory "+m.Name)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return v.claimed[n] })
	if len(names) == 0 {
		return nil
	}
	return violated("no lane has made these: %s", strings.Join(names, ", "))
}
