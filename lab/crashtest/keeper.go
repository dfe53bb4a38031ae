package crashtest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// keeper saves, changes and deletes memories.
type keeper struct {
	name  string
	count int                     // operations so far
	kept  map[string]memory.Entry // as the ledger answered
}

// keeperNames is how many memories a keeper has at most.
const keeperNames = 6

func newKeeper(name string) *keeper { return &keeper{name: name, kept: map[string]memory.Entry{}} }

func (k *keeper) next(r *rand.Rand) *operation {
	k.count++
	key := ledger.Mutation{Key: fmt.Sprintf("%s-%d", k.name, k.count)}
	if names := slices.Sorted(maps.Keys(k.kept)); len(names) > 0 && r.IntN(4) == 0 {
		name := names[r.IntN(len(names))]
		return mutation("delete memory", func(ctx context.Context, api ledger.API) (memory.Entry, error) {
			return api.DeleteMemory(ctx, ledger.DeleteMemoryRequest{Mutation: key, Name: name})
		}, func(memory.Entry) { delete(k.kept, name) })
	}
	e := memory.Entry{
		Name: fmt.Sprintf("%s-%d", k.name, r.IntN(keeperNames)), Type: "project", Source: "agent:crash",
		Description: fmt.Sprintf("saved by operation %d", k.count),
		Body:        strings.Repeat(fmt.Sprintf("fact %d. ", k.count), 1+r.IntN(50)),
	}
	return mutation("save memory", func(ctx context.Context, api ledger.API) (memory.Entry, error) {
		return api.SaveMemory(ctx, ledger.SaveMemoryRequest{Mutation: key, Entry: e})
	}, func(saved memory.Entry) { k.kept[saved.Name] = saved })
}

func (k *keeper) expect() facts {
	f := facts{}
	for name, e := range k.kept {
		f["memory "+name] = text(e)
	}
	return f
}

func (k *keeper) observe(_ context.Context, _ ledger.API, all *inventory) (facts, error) {
	f := facts{}
	for _, e := range all.memories {
		if strings.HasPrefix(e.Name, k.name+"-") {
			all.claim("memory", e.Name)
			f["memory "+e.Name] = text(e)
		}
	}
	return f, nil
}
