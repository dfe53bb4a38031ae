package mcp

import (
	"context"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
)

func TestP8ToolListAndInstructionsStayWithinTheirBudget(t *testing.T) {
	const budget = 1_500 // design P8
	s, err := New(func(context.Context) (engine.API, error) { return nil, nil }, Options{Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	list, instructions := s.toolList(), s.instructions()
	total := count(list) + count(instructions)
	t.Logf("P8: tool list %d tokens (%d bytes, annotations included), instructions %d, together %d of %d",
		count(list), len(list), count(instructions), total, budget)
	if total > budget {
		t.Errorf("tool list and instructions cost %d tokens, more than %d", total, budget)
	}
	for _, tl := range tools() {
		t.Logf("  %-22s in %d, out %d, description %d", tl.name, count(tl.input), count(tl.output), count(tl.description))
	}
}
