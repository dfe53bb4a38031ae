package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// shop writes the first lines of the recorded session, at the prices of a model that has some.
func shop(t *testing.T, lines int) string {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.ReplaceAll(raw, []byte(`"model":"scripted"`), []byte(`"model":"claude-sonnet-4-5"`))
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	if err := os.WriteFile(file, bytes.Join(bytes.SplitAfter(raw, []byte("\n"))[:lines], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	half  = 330 // lines
	whole = 699
)

// sent sends a session under none and a policy, and returns what they cost.
func sent(t *testing.T, file, name string) (p played, none, other outcome) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{file}, false, name, "", true); err != nil {
		t.Fatal(err)
	}
	var all []played
	if err := json.Unmarshal(out.Bytes(), &all); err != nil || len(all) != 1 || len(all[0].Outcomes) != 2 {
		t.Fatalf("%v\n%s", err, &out)
	}
	return all[0], all[0].Outcomes[0], all[0].Outcomes[1]
}

// TestObserveCostsWhatNoneCosts, and none what was recorded.
func TestObserveCostsWhatNoneCosts(t *testing.T) {
	p, none, observe := sent(t, shop(t, half), "observe")
	if off := math.Abs(off(none.Dollars, p.Recorded.Dollars)); off > near || none.Used.Output != p.Recorded.Used.Output {
		t.Errorf("none %+v, recorded %+v", none, p.Recorded)
	}
	if observe.Policy = none.Policy; !reflect.DeepEqual(observe, none) {
		t.Errorf("observe %+v, none %+v", observe, none)
	}
}

// TestReduceCostsLessAndIsStable: each request begins with all of the one before, but for recorded steps.
func TestReduceCostsLessAndIsStable(t *testing.T) {
	p, none, reduce := sent(t, shop(t, whole), "reduce")
	if reduce.Requests != none.Requests || reduce.Dollars >= none.Dollars || reduce.Steps == 0 || reduce.Broken > 0 {
		t.Errorf("reduce %+v, none %+v", reduce, none)
	}
	var out bytes.Buffer
	printPolicies(&out, []played{p})
	for _, want := range []string{"\nreduce ", "\nSESSION ", "None compared with"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestTheRulesPredictARecordedSession: scripted usage has no losses, and what it reports is consistent.
func TestTheRulesPredictARecordedSession(t *testing.T) {
	r, err := open(shop(t, half))
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []bool{false, true} {
		p := r.predict(given)
		for i, e := range p.errors() {
			if math.Abs(e) > near {
				t.Errorf("%v %d: %.3f, %+v", given, i, e, p)
			}
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{shop(t, half)}, true, "", "", false); err != nil ||
		strings.Count(out.String(), "\nAnthropic ") != 3 {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := run(t.Context(), &out, []string{t.TempDir()}, true, "", "", false); err == nil {
		t.Error("an empty directory, and no error")
	}
}

// TestLossesAreSeen where a request reads less than was cached, in time, and its host has not compacted.
func TestLossesAreSeen(t *testing.T) {
	r, err := open(shop(t, half))
	if err != nil {
		t.Fatal(err)
	}
	q := &r.requests[20]
	q.Usage.CacheWrite += q.Usage.CacheRead - 2000
	q.Usage.CacheRead = 2000
	if !r.lost(20) || r.lost(19) || r.lost(0) {
		t.Error("one loss was wanted")
	}
	if p := r.predict(true); p.Lost != 1 || math.Abs(p.errors()[1]) > near {
		t.Errorf("given: %+v", p)
	}
	if p := r.predict(false); p.errors()[1] > -0.1 {
		t.Errorf("not given: %+v", p)
	}
	q.At = q.At.Add(time.Hour)
	if r.lost(20) || !r.expired(20) {
		t.Error("it had expired")
	}
}

// TestResultsThatAHostHasClearedAreCleared: requests become smaller, and no session file says why.
func TestResultsThatAHostHasClearedAreCleared(t *testing.T) {
	r, err := open(shop(t, whole))
	if err != nil {
		t.Fatal(err)
	}
	const at, less = 100, 20_000
	for i := range r.requests[at:] {
		r.requests[at+i].Usage.CacheRead -= less
	}
	m := ofRecording(r)
	s := m.sizes()
	if s.odd != 1 || len(m.cleared) == 0 {
		t.Fatalf("%d odd requests, %d cleared results", s.odd, len(m.cleared))
	}
	for _, i := range []int{at - 1, at, len(r.requests) - 1} {
		size := s.prompt
		for _, said := range m.of(r.requests[i]) {
			for _, b := range said.blocks {
				size += s.sizes[b.id]
			}
		}
		if e := off(size, float64(r.requests[i].Usage.Prompt())); math.Abs(e) > near {
			t.Errorf("request %d is %.1f%% off", i, 100*e)
		}
	}
}

// TestRequestsAreTaken: calls without results and results without calls are left out, and results come first.
func TestRequestsAreTaken(t *testing.T) {
	call := func(id string) block { return block{id: "call " + id, call: id} }
	result := func(id string) block { return block{id: "result " + id, call: id, result: true} }
	text := block{id: "text"}
	got := ""
	for _, m := range sendable([]message{{"user", []block{text, result("lost")}},
		{"assistant", []block{call("a"), call("never")}}, {"user", []block{text, result("a")}}, {"assistant", []block{call("open")}}}) {
		for _, b := range m.blocks {
			got += m.role + " " + b.id + ", "
		}
	}
	if want := "user text, assistant call a, user result a, user text, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// ask has a provider answer a request whose newest message is marked.
func ask(t *testing.T, p *provider, at time.Time, body string) tokens.Used {
	t.Helper()
	var q asked
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		t.Fatal(err)
	}
	p.next(at, 0)
	used, _ := p.answer(q)
	return used
}

func TestTheProviderCounts(t *testing.T) {
	text := func(s, mark string) string { return `{"type":"text","text":"` + s + `"` + mark + `}` }
	const short, long = `,"cache_control":{"type":"ephemeral"}`, `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	body := func(blocks ...string) string {
		return `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":[` + strings.Join(blocks, ",") + `]}]}`
	}
	size := map[string]float64{}
	for name, n := range map[string]float64{"a": 3000, "b": 200, "c": 10} {
		size[blockOf("user", []byte(text(name, ""))).id] = n
	}
	p, start := newProvider(size, 2), time.Unix(0, 0)
	for i, x := range []struct {
		after time.Duration
		body  string
		want  tokens.Used
	}{
		{0, body(text("a", short)), tokens.Used{CacheWrite: 3000}},
		{time.Minute, body(text("a", ""), text("b", short)), tokens.Used{CacheRead: 3000, CacheWrite: 200}},
		{time.Minute, body(text("a", ""), text("b", long), text("c", "")), tokens.Used{CacheRead: 3200, Input: 10}},
		{10 * time.Minute, body(text("a", ""), text("b", short)), tokens.Used{CacheRead: 3200}},
		{2 * time.Hour, body(text("a", ""), text("b", short)), tokens.Used{CacheWrite: 3200}},
	} {
		start = start.Add(x.after)
		if got := ask(t, p, start, x.body); got != x.want {
			t.Errorf("%d: %+v, want %+v", i, got, x.want)
		}
	}
	one := `{"model":"m","messages":[{"role":"user","content":"one two three"}]}`
	if got := ask(t, p, start, one); got.In() != 2*3 {
		t.Errorf("a text that no recording has: %+v", got)
	}
}

// TestAnthropicsOwnClearing keeps the newest three results above its limit.
func TestAnthropicsOwnClearing(t *testing.T) {
	size := map[string]float64{}
	var results []string
	for _, id := range []string{"a", "b", "c", "d"} {
		raw := `{"type":"tool_result","tool_use_id":"` + id + `","content":"long"}`
		size[blockOf("user", []byte(raw)).id] = 30_000
		results = append(results, raw)
	}
	p := newProvider(size, 1)
	body := func(n int) string {
		return `{"model":"m","context_management":{"edits":[{"type":"` + clearToolUses + `"}]},"messages":[{"role":"user","content":[` +
			strings.Join(results[:n], ",") + `]}]}`
	}
	if got := ask(t, p, time.Unix(0, 0), body(3)).In(); got != 90_000 {
		t.Errorf("below its limit: %d", got)
	}
	if got := ask(t, p, time.Unix(1, 0), body(4)).In(); got != 90_000+clearNote {
		t.Errorf("above its limit: %d", got)
	}
}

// TestWhatIsReadBackIsCharged once, and then in each later request, until a compaction takes its place away.
func TestWhatIsReadBackIsCharged(t *testing.T) {
	r := newReading()
	said := block{id: "1", text: "see internal/pricing/gross.go and internal/pricing/net.go"}
	stub, summary := block{id: "2", call: "c", text: "cut"}, block{id: "3", text: "summary"}
	if got := r.missing([]string{"pricing/gross.go", "never/said.go"}, []block{said}, []block{said}); got != nil {
		t.Errorf("nothing is missing: %q", got)
	}
	got := r.missing([]string{"pricing/gross.go", "never/said.go"}, []block{said}, []block{stub})
	if len(got) != 1 || got[0] != "pricing/gross.go" {
		t.Fatalf("%q", got)
	}
	used := tokens.Used{CacheRead: 100_000}
	calls, cost := r.bring(append(got, "pricing/net.go"), func(string) float64 { return 5000 },
		answered{"claude-sonnet-4-5", used, []block{stub}})
	if calls != 1 || math.Abs(cost-0.0312) > 1e-9 { // 100,000 read, 80 of an answer
		t.Errorf("%d calls, %v", calls, cost)
	}
	if again := r.missing(got, []block{said}, []block{stub}); again != nil {
		t.Errorf("it was read: %q", again)
	}
	charge := func(sent block) float64 { return r.charge("claude-sonnet-4-5", used, false, []block{sent}) }
	first, later := charge(block{id: "4", call: "c", text: "cut again"}), charge(stub)
	if math.Abs(first-2080*3.75e-6) > 1e-9 || math.Abs(later-2080*0.3e-6) > 1e-9 {
		t.Errorf("%v, then %v", first, later)
	}
	if gone := charge(summary); gone != 0 || len(r.missing(got, []block{said}, []block{summary})) != 1 {
		t.Errorf("%v of what a compaction took", gone)
	}
}
