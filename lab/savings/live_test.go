package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/lab/programtest"
	model "ctxledger.dev/lab/scriptedmodel"
)

// bin is the directory of the built programs.
var bin string

func TestMain(m *testing.M) {
	orders := flag.Bool(ordersFlag, false, "be the MCP server of the sessions")
	flag.Parse()
	if *orders {
		serveOrders(os.Stdin, os.Stdout)
		return
	}
	os.Exit(programtest.Run(m, func(dir string) error {
		bin = dir
		return programtest.Build(bin, programtest.Programs)
	}))
}

// patience is how long a test waits for what takes seconds.
const patience = 5 * time.Minute

// TestTheRealAgentCarriesWhatWeSayOfIt plays a short session twice: what repeats becomes a stub, the calls are the same,
// and what Claude Code carries because of us is what the product says of it.
func TestTheRealAgentCarriesWhatWeSayOfIt(t *testing.T) {
	agent := model.Agent(t, model.Claude) // skips without one
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p := &player{Sandbox: programtest.NewBox(t, bin), agent: agent, orders: own}
	short := played{name: "short", prompt: "Look.", script: model.Script{
		model.Do("", call("orders", "day", "all")),
		model.Do("", call("Bash", "command", "cat src/part00.go")),
		model.Do("", call("Bash", "command", "cat src/part00.go")),
		model.Do("", call("Bash", "command", "grep -c "+orderID(200)+" notes.txt || true")),
	}}
	for n := range 6 { // more than compact leaves as it is
		short.script = append(short.script, model.Do("", call("Bash", "command", fmt.Sprintf("cat src/part%02d.go", n+1))))
	}
	short.script = append(short.script, model.Say("Seen."))
	var resumed resumption
	both, err := p.pair(ctx, short, func(id string) (err error) {
		resumed, err = p.resume(ctx, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(both.without.steps), len(both.with.steps); a != len(short.script) || a != b {
		t.Fatalf("%d and %d requests for %d steps", a, b, len(short.script))
	}
	if n, of := both.with.stubs(); n != 2 || of != 10 {
		t.Errorf("%d of %d results are stubs, want 2 of 10", n, of)
	}
	if n, _ := both.without.stubs(); n != 0 {
		t.Errorf("%d results are stubs without ctxledger", n)
	}
	if got := both.needs(); len(got) != 1 || got[0] != 3 {
		t.Errorf("what became a stub is needed at %v, want at 3", got)
	}
	d := both.difference()
	if d.results >= 0 || d.calls != 0 || d.sum() >= 0 {
		t.Errorf("the session sent %+v more", d)
	}
	ours, agents := both.own()
	one, _ := both.with.listed(ours)
	words := d.words / len(both.with.steps) // our instructions
	const heading = 70                      // of the instructions, if no other server has some, and what a session is told first
	host := registry.ClientOf("claude-code")
	if more := one + words - host.Tokens; len(ours) == 0 || more < 0 || more > heading {
		t.Errorf("our tools %q take %d tokens, the instructions %d: overhead says %d", ours, one, words, host.Tokens)
	}
	if len(agents) > 0 {
		t.Errorf("the agent adds %q because of us", agents)
	}
	if said, less := both.with.said, -d.sum(); len(said.Causes) == 0 || said.Net < less*97/100 || said.Net > less*103/100 {
		t.Errorf("status says %+v, the requests had %d tokens less", said, less)
	}
	if before, after := resumed.before.sum(), resumed.after.sum(); after >= before || after == 0 ||
		!strings.Contains(resumed.after.body, "ctxledger_record") {
		t.Errorf("the first request of the new session has %d tokens, that of the old one %d", after, before)
	}
}
