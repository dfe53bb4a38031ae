package compaction

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

// A host may hand on the document alone: it therefore covers the part kept verbatim as well.
func TestTheDocumentTellsWhatStandsBelowToo(t *testing.T) {
	k := newTalk(t)
	k.user("First task")
	k.read("big.go", 6000)
	k.user("Second task")
	k.edit("late.go", "", "LateName")
	k.run("go test ./late", 0, "ok late")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	for _, want := range []string{
		"(turn 2, newest, also below) Second task", "  - late.go — edited (turn 2): adds LateName\n",
		"  go test ./late → ok (turn 2)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(layout.BlockWith(text, "[INTENT-DERIVED"), "late.go") {
		t.Errorf("the list of operations is of the range alone:\n%s", text)
	}
}

func TestWhatHostsWriteInTheUsersNameIsNoRequest(t *testing.T) {
	k := newTalk(t)
	k.user("<command-name>/model</command-name>")
	k.user("The real task")
	k.read("big.go", 6000)
	k.user("[Request interrupted by user]")
	k.user("go on")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	if strings.Contains(text, "command-name") || strings.Contains(text, "interrupted") ||
		!strings.Contains(text, "(turn 2, first request) The real task") {
		t.Error(text)
	}
}

// Short requests stay whole when a long one has to give way.
func TestTheLongestRequestsGiveWayFirst(t *testing.T) {
	k := newTalk(t)
	k.user("Plan: " + strings.Repeat("a long story of the whole plan ", 400))
	for i := range 6 {
		k.user(fmt.Sprintf("Request %d: %s", i, strings.Repeat("some detail ", 5)))
	}
	k.read("big.go", 9000)
	k.user("next")
	for _, budget := range []int{900, 1_500, 3_000} {
		text := mustPlan(t, k.in, Options{Keep: 1, Budget: budget}).Text
		for i := range 6 {
			if want := fmt.Sprintf("Request %d: %s", i,
				strings.TrimSpace(strings.Repeat("some detail ", 5))); !strings.Contains(text, want) {
				t.Errorf("budget %d lacks %q:\n%s", budget, want, text)
			}
		}
		if !strings.Contains(text, "(turn 1, first request) Plan: a long story") ||
			!strings.Contains(text, "characters left out") {
			t.Errorf("budget %d:\n%s", budget, text)
		}
	}
}

// A stated length asks for a summary of a short session too, once.
func TestAShortSessionIsCompactedWhenABudgetIsGiven(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	k.read("a.go", 1800)
	k.user("next")
	k.read("b.go", 1800)
	if p, err := Plan(k.in, Options{}); err != nil || p.Outcome != NothingToDo {
		t.Fatal(p.Outcome, err)
	}
	k.accept(mustPlan(t, k.in, Options{Budget: 1_000}))
	if p, err := Plan(k.in, Options{Budget: 1_000}); err != nil || p.Outcome != NothingToDo {
		t.Error(p.Outcome, err)
	}
}

// A heading over lines is printed exactly with one of them, whatever the budget.
func TestHeadingsStandOverLines(t *testing.T) {
	in := readShop(t)
	headings := []string{"Agent, turn ", "Read and not changed", "Earlier runs, superseded", "  Task list ("}
	seen := 0
	for budget := 500; budget <= 3_500; budget += 250 {
		p := mustPlan(t, in, Options{Budget: budget})
		if n := layout.Count(p.Text); n > budget {
			t.Errorf("budget %d: %d tokens", budget, n)
		}
		lines := strings.Split(p.Text, "\n")
		for i, line := range lines {
			for _, h := range headings {
				if !strings.HasPrefix(line, h) {
					continue
				}
				if seen++; !strings.HasPrefix(lines[i+1], "  ") || strings.HasPrefix(lines[i+1], "  …") {
					t.Errorf("budget %d: %q stands over %q", budget, line, lines[i+1])
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no heading was ever printed")
	}
}

func TestChecksAreToldWithoutWhatStandsAroundThem(t *testing.T) {
	k := newTalk(t)
	k.user("q")
	s, err := newSource(&k.in, Options{}, "id", 1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"cd /w && go test ./... 2>&1 | tail -5":         "go test ./...",
		"cd sub && FOO=1 go vet ./a && echo done":       "go vet ./a (in sub)",
		"cd /w/x; mise run lint && mise run test:ci":    "mise run lint && mise run test:ci (in x)",
		"git add -A && npm run build > /dev/null":       "npm run build",
		"cd '/elsewhere' && timeout 60 pytest -k 'a|b'": "pytest -k 'a|b' (in /elsewhere)",
	} {
		if got := s.work.checksText(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// A handle of a part of a file says which part: an agent looked for a function in lines that do not have it.
func TestAHandleOfAPartOfAFileSaysWhichPart(t *testing.T) {
	k := newTalk(t)
	k.user("Look")
	read := func(path, args string, tokens int) {
		call := k.ask("Read", intents.OpRead, path)
		k.args(args)
		it := &k.in.Items[len(k.in.Items)-1]
		it.Calls[0].Partial = strings.Contains(args, "limit")
		k.answer(call, tokens, false)
	}
	read("part.go", `{"offset":1,"limit":10}`, 100)
	read("part.go", `{"offset":554,"limit":87}`, 900)
	read("whole.go", `{}`, 900)
	read("whole.go", `{"limit":10}`, 100)
	k.user("next")
	text := mustPlan(t, k.in, Options{Keep: 1}).Text
	for _, want := range []string{"  part.go ×2, longest part (offset 554, limit 87): ", "  whole.go ×2, longest: "} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}
