package ctxmcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/ledger"
)

// The extent of the generated part. make hostile has more.
var (
	messages = flag.Int("messages", 10_000, "how many malformed `messages` are generated")
	seed     = flag.Uint64("seed", 1, "the `seed` of what is generated")
)

// mostGrowth is how much memory a server may have more after all messages than before, in bytes. The
// promise is 32 MB; the bound is for a leak, with a margin for the collector.
const mostGrowth = 64 << 20

// TestEveryHostileLineIsAnsweredByItsRule sends what no client should, each line followed by a good call.
func TestEveryHostileLineIsAnsweredByItsRule(t *testing.T) {
	pl := programtest.NewPlace(t)
	p := start(t, pl.Command(t, binary, "--in-process"))
	p.send(t, request("0", "tools/list", map[string]any{}))
	cases := slices.Concat(frames(), envelopes(), orders(), arguments(t, p.answer(t, "0").Result))
	if len(cases) < 300 {
		t.Errorf("only %d cases", len(cases))
	}
	last := ""
	defer func() {
		if t.Failed() {
			t.Logf("the last case was %s", last)
		}
	}()
	for i, c := range cases {
		last = c.name
		p.send(t, c.line)
		if c.id != "" {
			c.judge(t, p.answer(t, c.id))
		}
		p.send(t, call(strconv.Itoa(i+1), "changes", nil))
		has(t, p.answer(t, strconv.Itoa(i+1)).text(t), "no changes are known")
		if len(p.early) > 0 {
			t.Fatalf("%s: answers to nothing: %v", c.name, p.early)
		}
	}
	p.end(t)
	holds(t, pl, 0)
	t.Logf("%d cases", len(cases))
}

// judge holds an answer against the rule of the case.
func (c hostile) judge(t *testing.T, a answer) {
	t.Helper()
	switch {
	case c.code != 0 && (a.Error == nil || a.Error.Code != c.code):
		t.Errorf("%s: answered %.200s %+v, not with %d", c.name, a.Result, a.Error, c.code)
	case a.Error != nil && (a.Error.Message == "" || strings.ContainsAny(a.Error.Message, "\n\x1b") ||
		strings.Contains(a.Error.Message, "panic")):
		t.Errorf("%s: the error says %q", c.name, a.Error.Message)
	case c.code == 0 && a.Error == nil && bytes.Contains(a.Result, []byte("something went wrong")):
		t.Errorf("%s: an internal error: %s", c.name, a.Result)
	case len(c.told) > 0:
		text := a.text(t)
		if !slices.ContainsFunc(c.told, func(code string) bool { return strings.HasPrefix(text, code) }) {
			t.Errorf("%s: told %.300q, not one of %q", c.name, text, c.told)
		}
	}
}

// holds wants the ledger of the place to hold so many memories, and nothing else.
func holds(t *testing.T, pl programtest.Place, memories int) {
	t.Helper()
	ws := pl.Workspace(t)
	api, err := daemon.Open(
		t.Context(), daemon.Options{State: ws.State, Workspace: ws.Root, Env: env.System(), InProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // only read from
	got, err := api.Info(t.Context(), ledger.InfoRequest{})
	if err != nil || got.Memories != memories || got.Sessions+got.Artifacts != 0 || got.Event != int64(memories) {
		t.Errorf("the ledger holds %+v, not just %d memories; %v", got, memories, err)
	}
}

// seeds are the valid messages that the generator makes malformed ones from; %s is the id. None of them
// stores anything, whatever part of it is left.
var seeds = []string{
	`{"jsonrpc":"2.0","id":%s,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"changes","arguments":{"limit":3,` +
		`"since":"2026-01-01T00:00:00Z"}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"read_artifact",` +
		`"arguments":{"id":"0123456789ab","lines":"1-5"}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"memory","arguments":{"action":"recall",` +
		`"query":"anything","limit":5}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"context_status",` +
		`"arguments":{"session":"00000000"}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"prompts/get","params":{"name":"resume","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"ctxledger://memory/x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"x"}}`,
}

// expectation is what the answers to a line may be.
type expectation struct {
	id          string // canonical, of a request that is answered under it or refused under null; "": none
	least, most int    // answers under null
	answered    int    // in all, at least
}

// expect reads a line with the standard library, which is an independent judge of what it is.
func expect(line string) expectation {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &fields) != nil {
		if strings.Count(line, "[")+strings.Count(line, "{") > 600 {
			return expectation{id: "?", most: 1, answered: 1} // too deep: refused under the id if that is seen
		}
		return expectation{least: 1, most: 1, answered: 1}
	}
	raw, asks := fields["id"]
	_, result := fields["result"]
	_, failed := fields["error"]
	var text string
	var number int64
	switch {
	case !asks || fields["method"] == nil && (result || failed):
		return expectation{most: 1}
	case json.Unmarshal(raw, &text) == nil && raw[0] == '"' || json.Unmarshal(raw, &number) == nil && raw[0] != 'n':
		return expectation{id: canonical(raw), most: 1, answered: 1}
	}
	return expectation{least: 1, most: 1, answered: 1}
}

// canonical returns an id as it is answered.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// TestGeneratedGarbageBetweenCallsHurtsNobody sends malformed messages between good calls: all good calls
// are answered, each request once and under its own id or none, the memory stays, nothing is stored.
func TestGeneratedGarbageBetweenCallsHurtsNobody(t *testing.T) {
	pl := programtest.NewPlace(t)
	p := start(t, pl.Forever(binary, "--in-process"))
	g := &garbage{dice: rand.New(rand.NewPCG(*seed, 0)), asked: map[string]bool{}}
	var took []time.Duration
	before := int64(0)
	for g.sent < *messages || g.answered < g.due && len(took) < *messages {
		if g.sent == *messages/10/batch*batch {
			before = resident(t, p.cmd.Process.Pid) // the server has met everything once
		}
		least, most := 0, 0
		if g.sent < *messages {
			least, most = g.send(t, p)
		}
		began := time.Now()
		good := strconv.Quote(fmt.Sprintf("good%d", len(took)))
		p.send(t, call(good, "changes", nil))
		if nulls := g.read(t, p, good); nulls < least || nulls > most { // refused in order, before the call is read
			t.Fatalf("seed %d, message %d: %d lines were refused, not %d to %d", *seed, g.sent, nulls, least, most)
		}
		took = append(took, time.Since(began))
	}
	after := resident(t, p.cmd.Process.Pid)
	slices.Sort(took)
	p50, p99, slowest := took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	t.Logf("%d malformed messages, %d answers, %d good calls: p50 %v, p99 %v, max %v", g.sent, g.answered, len(took),
		p50, p99, slowest)
	t.Logf("memory %d kB, then %d kB; seed %d", before>>10, after>>10, *seed)
	if g.answered < g.due {
		t.Errorf("%d answers to %d requests", g.answered, g.due)
	}
	if after-before > mostGrowth {
		t.Errorf("the memory grew from %d to %d bytes", before, after)
	}
	if n := goroutines(t, p); n > mostGoroutines {
		t.Errorf("%d goroutines are left:\n%s", n, p.stderr)
	}
	holds(t, pl, 0)
}

// batch is how many malformed messages there are between two good calls.
const batch = 10

// mostGoroutines is how many a server at rest may have: those of the library's workers and of a follower for each agent
// among them.
const mostGoroutines = 48

// garbage generates malformed messages and checks what comes back.
type garbage struct {
	dice          *rand.Rand
	asked         map[string]bool // ids that may still be answered
	sent          int
	due, answered int // answers
}

// send sends a batch, and returns how many of its lines are refused under null.
func (g *garbage) send(t *testing.T, p *process) (least, most int) {
	t.Helper()
	for range batch {
		id := strconv.Quote(fmt.Sprintf("m%d", g.sent))
		message := programtest.Mutate(g.dice, strings.Replace(seeds[g.dice.IntN(len(seeds))], "%s", id, 1))
		for line := range strings.SplitSeq(message, "\n") {
			e := expect(strings.TrimSuffix(line, "\r"))
			least, most, g.due = least+e.least, most+e.most, g.due+e.answered
			g.asked[e.id] = true
		}
		p.send(t, message)
		g.sent++
	}
	return least, most
}

// read reads answers up to that of a good call, and returns how many there were under null.
func (g *garbage) read(t *testing.T, p *process, good string) (nulls int) {
	t.Helper()
	for a := p.next(t); string(a.ID) != good; a = p.next(t) {
		g.answered++
		switch id := canonical(a.ID); {
		case id == "null":
			nulls++
		case g.asked[id]:
			delete(g.asked, id)
		case !g.asked["?"]:
			t.Fatalf("seed %d, message %d: an answer to %s, which was not asked or is answered already",
				*seed, g.sent, id)
		}
		if a.Error != nil && (a.Error.Message == "" || strings.Contains(a.Error.Message, "panic") ||
			strings.Contains(a.Error.Message, "incident")) {
			t.Errorf("seed %d, message %d: error %+v", *seed, g.sent, a.Error)
		}
	}
	return nulls
}

// resident returns the memory of a process in bytes, 0 where that cannot be seen.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(raw)
	if m == nil {
		t.Fatalf("no VmRSS in %s", raw)
	}
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// goroutines ends a server so that it says what it was doing, and counts that.
func goroutines(t *testing.T, p *process) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it was ended with a stack
	return strings.Count(p.stderr.String(), "\ngoroutine ")
}
