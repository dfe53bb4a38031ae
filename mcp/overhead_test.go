package mcp

import (
	"fmt"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/mcp/overhead"
)

func TestP8ToolListAndInstructionsStayWithinTheirBudget(t *testing.T) {
	const budget = 1_500 // design P8
	for _, prefix := range []string{"", "ctxledger_of_this_place_"} {
		s, err := New(nil, Options{Env: testEnv(), ToolPrefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		list, instructions := s.toolList(), s.instructions()
		total := count(list) + count(instructions)
		t.Logf("P8: prefix %q: tool list %d tokens (%d bytes, annotations included), instructions %d, together %d of %d",
			prefix, count(list), len(list), count(instructions), total, budget)
		if total > budget || total != s.overhead() {
			t.Errorf("tool list and instructions cost %d tokens, more than %d; context_status says %d", total, budget,
				s.overhead())
		}
	}
	if s, err := New(nil, Options{Env: testEnv()}); err != nil || s.overhead() != overhead.Tokens {
		t.Errorf("overhead.Tokens says %d, a client is sent %d tokens (%v): correct the constant", overhead.Tokens,
			s.overhead(), err)
	}
	names := ""
	for _, tl := range tools() {
		names += "mcp__ctxledger__" + tl.name + "\n"
	}
	s, err := New(nil, Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(names) + count(s.instructions()); n != overhead.Names {
		t.Errorf("overhead.Names says %d, not %d: correct the constant", overhead.Names, n)
	}
	listed := count(s.instructions())
	for _, tl := range tools() {
		listed += count(fmt.Sprintf(`{"name":"mcp__ctxledger__%s","description":%q,"input_schema":%s}`, tl.name,
			tl.description, tl.input))
	}
	if c := registry.ClientOf("claude-code"); c.Tokens != listed {
		t.Errorf("overhead says that Claude Code's requests carry %d tokens of ours, not %d: correct that and, with "+
			"make matrix, the other rows", c.Tokens, listed)
	}
	for _, tl := range tools() {
		t.Logf("  %-22s in %d, out %d, description %d", tl.name, count(tl.input), count(tl.output),
			count(tl.description))
	}
}
