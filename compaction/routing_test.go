package compaction

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
)

// handOver adds a handoff call with arguments, and its result.
func (k *talk) handOver(agent, tool, args string, failed bool) {
	call := k.ask(tool, "", "")
	k.in.Items[len(k.in.Items)-1].Author = agent
	k.args(args)
	k.answer(call, 10, failed)
}

// The routing signal is the keyword of the last handoff call that worked. It is repeated only if what stays lacks it.
func TestTheRoutingSignalIsTheLastKeywordThatLeaves(t *testing.T) {
	const head = "[Resume: pre-compaction routing signal from "
	ready := func(k *talk) { k.handOver("Planner", "handoff", `{"route_keyword":"TESTS READY"}`, false) }
	for _, c := range []struct {
		name        string
		early, late func(k *talk) // before the compacted turns, and in the kept one
		o           Options
		want        string
		mask        func(string) string
	}{
		{name: "of a named agent", early: ready, want: head + "Planner]\nTESTS READY"},
		{name: "in window mode", early: ready, o: Options{Mode: Window, Budget: 2_000},
			want: head + "Planner]\nTESTS READY"},
		{name: "an MCP server's tool, without a name", early: func(k *talk) {
			k.handOver("", "mcp__orchestra__hand_off", `{"routeKeyword":" build  it "}`, false)
		}, want: head + "main]\nbuild it"},
		{name: "of two the last", early: func(k *talk) {
			ready(k)
			k.handOver("Developer", "Handoff", `{"keyword":"REVIEW"}`, false)
		}, want: head + "Developer]\nREVIEW"},
		{name: "one that failed is no signal", early: func(k *talk) {
			ready(k)
			k.handOver("Developer", "handoff", `{"route_keyword":"NOBODY"}`, true)
		}, want: head + "Planner]\nTESTS READY"},
		{name: "ours has no keyword", early: func(k *talk) {
			ready(k)
			k.handOver("Developer", "mcp__ctxledger__handoff", `{"to":"Tester"}`, false)
		}, want: head + "Planner]\nTESTS READY"},
		{name: "no call", early: func(k *talk) { k.say("I call handoff: TESTS READY") }},
		{name: "no keyword", early: func(k *talk) { k.handOver("", "handoff", `{"route_keyword":7}`, false) }},
		{name: "no object", early: func(k *talk) { k.handOver("", "handoff", `["TESTS READY"]`, false) }},
		{name: "the call stays", early: ready, late: ready},
		{name: "the keyword stays", early: ready, late: func(k *talk) { k.say("They said TESTS READY before.") }},
		{name: "switched off", early: ready, o: Options{NoRouting: true}},
		{name: "a new chat has no view", early: ready, o: Options{Whole: true}},
		{name: "one line of it", early: func(k *talk) {
			k.handOver("", "handoff", `{"route_keyword":"`+strings.Repeat("long ", 90)+`\nend"}`, false)
		}, want: head + "main]\n" + strings.TrimSuffix(strings.Repeat("long ", 40), " ")},
		{name: "a secret", early: func(k *talk) { k.handOver("", "handoff", `{"route_keyword":"go hunter2"}`, false) },
			mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "****") },
			want: head + "main]\ngo ****"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk(t)
			k.in.Mask = c.mask
			k.user("The task")
			c.early(k)
			k.grow(rand.New(rand.NewPCG(1, 2)), 60)
			k.user("And now?")
			if c.late != nil {
				c.late(k)
			}
			if c.o.Mode == "" {
				c.o.Keep = 1
			}
			p := mustPlan(t, k.in, c.o)
			if p.Record.Resume != c.want && (c.want == "" || !strings.HasPrefix(p.Record.Resume, c.want)) {
				t.Fatalf("%q, want %q", p.Record.Resume, c.want)
			}
			if n := layout.Count(p.Record.Resume); n > 120 || strings.Count(p.Record.Resume, "\n") > 1 {
				t.Errorf("%d tokens: %q", n, p.Record.Resume)
			}
		})
	}
}

// Design, invariant 5 with routing signals: whatever a conversation is like, one that worked is in what stays or behind it, in
// every compaction; it counts in the size before and after; and a view never grows by it.
func TestInvariant5TheRoutingSignalIsNeverDropped(t *testing.T) {
	left := 0
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 9))
		k := newTalk(t)
		k.user("First task of all")
		keyword := ""
		for step := range 5 {
			for range 3 {
				k.grow(r, 20)
				if r.IntN(2) == 0 {
					next, failed := fmt.Sprintf("ROUTE %d.%d.%d", seed, step, r.IntN(1000)), r.IntN(3) == 0
					k.handOver("Planner", "handoff", `{"route_keyword":"`+next+`"}`, failed)
					if !failed {
						keyword = next
					}
				}
			}
			o := Options{Keep: 1 + r.IntN(3), Budget: 1_000}
			if step%2 == 1 {
				o = Options{Mode: Window, Budget: 4_000}
			}
			p, err := Plan(k.in, o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Outcome != Compacted {
				continue
			}
			stays := false
			for i := range k.in.Items {
				it := &k.in.Items[i]
				for _, c := range it.Calls {
					args, err := k.in.argsOf(it, c.ID)
					if err != nil {
						t.Fatal(err)
					}
					stays = stays || it.first() >= p.Record.FirstKept && keyword != "" && routedBy(args) == keyword
				}
			}
			if ends := strings.HasSuffix(p.Record.Resume, "]\n"+keyword); keyword != "" && ends == stays ||
				keyword == "" && p.Record.Resume != "" {
				t.Fatalf("seed %d step %d: %q, %q stays: %t", seed, step, p.Record.Resume, keyword, stays)
			}
			if p.Record.Resume != "" {
				left++
			}
			behind := 0
			for _, it := range k.in.Items {
				if it.first() >= p.Record.FirstKept {
					behind += it.Tokens
				}
			}
			if want := asMessage(p.Text) + behind + p.Record.resumeTokens(); p.Record.After != want ||
				p.Record.After >= p.Record.Before {
				t.Fatalf("seed %d step %d: %d tokens after, want %d; %d before", seed, step, p.Record.After, want,
					p.Record.Before)
			}
			k.accept(p)
			if v := newView(&k.in); v.before != p.Record.After {
				t.Fatalf("seed %d step %d: the next one begins with %d tokens, not %d", seed, step, v.before, p.Record.After)
			}
		}
	}
	if left < 20 {
		t.Errorf("%d views end with a signal: the test shows nothing", left)
	}
}
