package mcp

import (
	"context"
	"strings"

	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
)

// memoryPrompt gives a chat what earlier ones noted.
var memoryPrompt = prompt{
	name: "memory", description: "What earlier sessions noted: the facts that fit the task best, with their bodies",
	arguments: []promptArgument{{"task", "words of the task; default: all facts by their kind"}},
	write:     asUser("task", recalledFacts),
}

// recalledFacts returns the block of memories for a task.
func recalledFacts(ctx context.Context, c *call, task string) (string, error) {
	page, err := c.api.Memories(ctx, ledger.MemoriesRequest{Body: true, Limit: listMost})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, n := range page.Notes {
		parts = append(parts, "Note: "+inline(n))
	}
	block := memory.Block(memory.Ordered(page.Entries, task), memory.BlockChars, memory.Chars)
	if block == "" {
		block = "No facts here yet: the tool " + c.o.ToolPrefix + "memory saves one."
	}
	masked, err := c.api.Mask(ctx, ledger.MaskRequest{Text: clean(block)})
	return strings.TrimSpace(strings.Join(append(parts, masked.Text), "\n\n")), err
}
