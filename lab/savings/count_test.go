package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	model "ctxledger.dev/lab/scriptedmodel"
)

// asked is a request whose conversation is a list of messages.
func asked(system, tools string, messages ...string) string {
	return fmt.Sprintf(`{"system":[{"type":"text","text":%q}],"tools":[%s],"messages":[%s]}`, system, tools,
		strings.Join(messages, ","))
}

// A message of each kind.
func said(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }
func calling(name, input string) string {
	return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":%q,"input":%s}]}`, name, input)
}
func resulting(text string) string {
	return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":%q}]}]}`,
		text)
}

// logged is what a model remembers of requests, each with the result of the step before.
func logged(bodies ...string) (log []model.Exchange) {
	for i, b := range bodies {
		log = append(log, model.Exchange{Step: i, Body: []byte(b)})
	}
	return log
}

// counting returns a run, or fails.
func counting(t *testing.T, log []model.Exchange) run {
	t.Helper()
	r, err := runOf(log)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestARequestIsCountedByItsParts: words of English that are one token each, and whatever is JSON as it was sent.
func TestARequestIsCountedByItsParts(t *testing.T) {
	body := asked("one two three", `{"name":"a"}`, said("user", "one two"), calling("Bash", `{"x":1}`), resulting("one"))
	got, err := counted([]byte(body))
	want := count{system: 3, tools: size(`[{"name":"a"}]`), words: 2, calls: size(`Bash{"x":1}`), results: 1}
	if err != nil || got != want || got.sum() != 6+want.tools+want.calls {
		t.Errorf("%+v, want %+v; %v", got, want, err)
	}
	for _, wrong := range []string{"", "{", `{"messages":[{"content":7}]}`, `{"system":7}`} {
		if n, err := counted([]byte(wrong)); err == nil {
			t.Errorf("%q has %+v", wrong, n)
		}
	}
}

// TestWhatBelongsToUsIsWhatOnlyTheSecondSessionHas: a session of three requests, each of which lists our tool and one that
// the agent has because of us, with a request beside the conversation.
func TestWhatBelongsToUsIsWhatOnlyTheSecondSessionHas(t *testing.T) {
	const theirs, ours, because = `{"name":"Bash"}`, `{"name":"mcp__ctxledger__memory"}`, `{"name":"ReadMcp"}`
	body := func(tools, result string) string { return asked("s", tools, said("user", "go"), resulting(result)) }
	without := logged(body(theirs, "one two three four"), body(theirs, "one two"), body(theirs, "one"))
	all := strings.Join([]string{theirs, ours, because}, ",")
	with := logged(body(all, "one"), body(all, "one two"), body(all, "one"))
	aside := model.Exchange{Step: -1, Body: []byte(said("user", "ignored"))}
	p := pair{without: counting(t, append(without, aside)), with: counting(t, with)}
	own, agents := p.own()
	if !slices.Equal(own, []string{"mcp__ctxledger__memory"}) || !slices.Equal(agents, []string{"ReadMcp"}) {
		t.Errorf("ours %q, the agent's %q", own, agents)
	}
	if one, sum := p.with.listed(own); one != size(ours) || sum != 3*one {
		t.Errorf("our tool takes %d in a request, %d in all", one, sum)
	}
	d := p.difference()
	if tools := 3 * (size("["+all+"]") - size("["+theirs+"]")); d.results != -3 || d.tools != tools || d.words != 0 {
		t.Errorf("difference %+v, want 3 less in results and %d more in tools", d, tools)
	}
	if len(p.without.asides) != 1 || len(p.without.steps) != 3 {
		t.Errorf("%d steps, %d asides", len(p.without.steps), len(p.without.asides))
	}
	if _, err := runOf(nil); err == nil {
		t.Error("no requests are a session")
	}
}

// TestWhatOnlyAStubHidesIsNeeded: a call that names what the model has not read with ctxledger, and had read without.
func TestWhatOnlyAStubHidesIsNeeded(t *testing.T) {
	const long = "order-1000-001 and order-2000-002"
	const stub = "[result offloaded]\nArtifact: 0123456789ab\nwith order-1000-001"
	session := func(result, wanted string) []model.Exchange {
		log := logged(asked("", "", said("user", "go"), resulting(result)))
		log[0].Results = []string{result, "and another"}
		return append(log, model.Exchange{Step: 1, Body: []byte(asked("", "", said("user", "go"), resulting(result),
			calling("Bash", fmt.Sprintf(`{"command":"grep %s notes"}`, wanted)), resulting("0")))})
	}
	for _, c := range []struct {
		wanted string
		steps  []int
	}{
		{"order-2000-002", []int{0}},
		{"order-1000-001", nil},
		{"order-3000-003", nil}, // the model makes it up in both
	} {
		p := pair{without: counting(t, session(long, c.wanted)), with: counting(t, session(stub, c.wanted))}
		if got := p.needs(); !slices.Equal(got, c.steps) {
			t.Errorf("%s: needed at %v, want %v", c.wanted, got, c.steps)
		}
		if n, of := p.with.stubs(); n != 1 || of != 2 {
			t.Errorf("%d of %d results are stubs", n, of)
		}
		if n, _ := p.without.stubs(); n != 0 {
			t.Errorf("%d stubs without ctxledger", n)
		}
	}
}

// TestDollars: requests of 100, 150 and 120 tokens, and one of 10 beside them, at round prices.
func TestDollars(t *testing.T) {
	of := func(n int) request { return request{count: count{words: n}} }
	r := run{steps: []request{of(100), of(150), of(120)}, asides: []count{{words: 10}}}
	x := rates{input: 1, read: 0.1, write: 2}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	near("the session", r.dollars(x), 100*2+(100*0.1+50*2)+120*0.1+10)
	// After the first request one more of as many tokens, whose 2,080 are written once and read once; two carry them.
	n, d := r.readBack([]int{0}, x)
	if want := 100 + 2*2_080; n != want {
		t.Errorf("reading back takes %d tokens, want %d", n, want)
	}
	near("reading back", d, 100*0.1+2_080*2+2_080*0.1)
	if n, d := r.readBack(nil, x); n != 0 || d != 0 {
		t.Errorf("reading nothing back takes %d tokens, $%v", n, d)
	}
	if real := ratesOf(priced); real.write < 12*real.read || real.input < 9*real.read || real.read <= 0 {
		t.Errorf("rates of %s: %+v", priced, real)
	}
}

// TestTheTableIsAligned and says what is a part of what.
func TestTheTableIsAligned(t *testing.T) {
	r := counting(t, logged(asked("s", `{"name":"Bash"}`, said("user", "go"))))
	var b strings.Builder
	table(&b, []pair{{name: "first", without: r, with: r}, {name: "second", without: r, with: r}})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for i, line := range lines[:len(lines)-1] {
		if len(line) != len(lines[1]) && i > 0 {
			t.Errorf("line %d is %d wide, not %d: %q", i, len(line), len(lines[1]), line)
		}
	}
	for _, want := range []string{"first", "second", "1, 1", "+0, +0.0%", "0 of 0", "in one request: 0 tokens"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	resumption{before: request{count: count{words: 100}}, after: request{count: count{words: 10, tools: 15}}}.print(&b, "a session")
	if !strings.Contains(b.String(), "of a session: its next request has 100 tokens, that of the new session 25 (-75.0%); of them system prompt and tools 15") {
		t.Error(b.String())
	}
}
