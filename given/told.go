package given

import (
	"context"
	"strings"
	"time"

	"ctxledger.dev/carried/library"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// Told says what an agent is told when it starts, whatever is declared for it. The zero value: nothing.
type Told struct {
	Environment bool            // where it runs, and what git ignores there
	Memory      bool            // what earlier sessions noted
	Index       library.Options // what can be read on demand
	Facts       []string        // of the environment, that its host tells it anyway
}

// ToldBy returns what a configuration has agents told whose host tells them some facts anyway.
func ToldBy(c config.Config, facts ...string) Told {
	return Told{c.Hooks.Environment, c.Hooks.Memory,
		library.Options{Skills: c.Index.Skills, References: c.Index.References, Memories: c.Index.Memories}, facts}
}

// Budgets of what an agent is told, in tokens (o200k_base): what can be read on demand gets what the others leave.
const (
	MaxTold      = 1_000
	MemoryTokens = 400
	IgnoreTokens = 300
)

// indexing is how long what can be read on demand is looked for.
const indexing = 80 * time.Millisecond

// Text returns what an agent in a tree is told, in at most MaxTold tokens; "" for nothing. root "" is no tree, and api nil has
// no memories. Secrets are not masked yet.
func (t Told) Text(ctx context.Context, e env.Env, root string, api ledger.MemoryStore) (string, error) {
	var parts []string
	left := MaxTold
	add := func(part string) {
		if size := memory.Tokens(part) + 2; part != "" && size <= left { // with what joins it to the next
			parts, left = append(parts, strings.TrimSpace(part)), left-size
		}
	}
	if t.Environment {
		add(Environment(e, root, t.Facts...))
	}
	if t.Environment && root != "" {
		add(Ignored(root))
	}
	if t.Memory && api != nil {
		block, err := Memories(ctx, api, "", MemoryTokens, memory.Tokens)
		if err != nil {
			return "", err
		}
		add(chars.Plain(block))
	}
	if root != "" {
		soon, cancel := context.WithTimeout(ctx, indexing)
		defer cancel()
		t.Index.Root, t.Index.Home = root, e.Home
		add(library.Find(soon, t.Index).Block(min(left, library.MaxTokens), memory.Tokens))
	}
	return strings.Join(parts, "\n\n"), nil
}

// maxMemories is how many memories a block is made of.
const maxMemories = 200

// Memories returns the block of the memories that fit a task best, in at most so much of what size measures.
func Memories(
	ctx context.Context, api ledger.MemoryStore, task string, most int, size func(string) int,
) (string, error) {
	page, err := api.Memories(ctx, ledger.MemoriesRequest{Body: true, Limit: maxMemories})
	return memory.Block(memory.Ordered(page.Entries, task), most, size), err
}
