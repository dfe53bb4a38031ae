package mcp

import (
	"fmt"
	"os"
	"regexp"
	"testing"
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
}

// TestTheFiguresAreThoseOfTheTools compares the constants that follow from the tools; -update writes them. The other rows of
// clients are measured (make matrix).
func TestTheFiguresAreThoseOfTheTools(t *testing.T) {
	s, err := New(nil, Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := New(nil, Options{Env: testEnv(), ReadBack: true})
	if err != nil {
		t.Fatal(err)
	}
	sent := func(tl tool) int { // as Claude Code has it in a request
		return count(fmt.Sprintf(`{"name":"mcp__ctxledger__%s","description":%q,"input_schema":%s}`, tl.name,
			tl.description, tl.input))
	}
	names, claude := "", count(s.instructions())
	for _, tl := range tools() {
		names += "mcp__ctxledger__" + tl.name + "\n"
		claude += sent(tl)
		t.Logf("  %-22s in %d, out %d, description %d", tl.name, count(tl.input), count(tl.output),
			count(tl.description))
	}
	for form, is := range map[string]struct {
		file string
		n    int
	}{
		`(const Tokens = )\d+`:   {"overhead/overhead.go", s.overhead()},
		`(const Names = )\d+`:    {"overhead/overhead.go", count(names) + count(s.instructions())},
		`(const ReadBack = )\d+`: {"overhead/overhead.go", sent(readTool()) + count(reader.instructions())},
		`(claudeTokens = )\d+`:   {"../agents/registry/claudecode.go", claude},
	} {
		raw, err := os.ReadFile(is.file)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(form)
		if !re.Match(raw) {
			t.Fatalf("%s has no %s", is.file, form)
		}
		golden(t, is.file, re.ReplaceAll(raw, fmt.Appendf(nil, "${1}%d", is.n)))
	}
}
