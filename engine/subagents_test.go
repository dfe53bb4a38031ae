package engine_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// TestStatusCountsWhatSubagentsTook: those that are sessions of their own, theirs, and those in the session's log, each once and
// at the price of its model.
func TestStatusCountsWhatSubagentsTook(t *testing.T) {
	l := open(t)
	answer := func(model, author string, input int64) sessions.NewEntry {
		return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: model, Author: author,
			Hidden: author != "", Usage: &sessions.Usage{Input: input, Output: 10},
			Original: []byte(`{"role":"assistant","content":"done"}`)}
	}
	add := func(id, parent string, entries ...sessions.NewEntry) string {
		t.Helper()
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:" + id,
			Session: sessions.Session{Host: "claude-code", HostID: id, Parent: parent},
			Next:    1, Done: true, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	const dear, cheap = "claude-sonnet-4-5", "claude-haiku-4-5"
	parent := add("main", "", answer(dear, "", 1_000_000), answer(cheap, "explorer", 100_000),
		answer(cheap, "explorer", 100_000))
	child := add("main/agent-a", parent, answer(cheap, "", 200_000))
	add("main/agent-b", child, answer(dear, "", 300_000))
	add("main/agent-c", parent) // of which nothing is known
	add("other", "", answer(dear, "", 9_000_000))
	cost := func(model string, input, output int64) float64 {
		used := sessions.Usage{Input: input, Output: output}
		return *sessions.Bill{{Model: model, Usage: used}}.Cost(tokens.Builtin()).Dollars
	}
	of := cost(cheap, 400_000, 30) + cost(dear, 300_000, 10)
	all := of + cost(dear, 1_000_000, 10)
	near := func(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: parent})
	if err != nil {
		t.Fatal(err)
	}
	g := st.Subagents
	if g == nil || g.N != 3 || g.Usage != (sessions.Usage{Input: 700_000, Output: 40}) || !near(g.Dollars, of) ||
		!near(st.Dollars, all) {
		t.Fatalf("%+v of %v, want $%.4f of $%.4f", g, st.Dollars, of, all)
	}
	if want := fmt.Sprintf("of that 3 subagents: $%.2f, 700,040 tokens", of); g.String() != want {
		t.Errorf("it says %q, not %q", g, want)
	}
	stats, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: parent})
	if err != nil || stats.Subagents == nil || *stats.Dollars != *st.Dollars {
		t.Errorf("an editor is told of %+v, %v", stats.Use.Subagents, err)
	}
	page, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	at := slices.IndexFunc(page.Sessions, func(s sessions.Session) bool { return s.ID == parent })
	if err != nil || at < 0 {
		t.Fatal(at, err)
	}
	listed := slices.Concat(page.Sessions[at].Billed(), page.Subagents[parent]).Cost(tokens.Builtin())
	if !near(listed.Dollars, *st.Dollars) {
		t.Errorf("in a list it costs %v, its status says %v", *listed.Dollars, *st.Dollars)
	}
	alone, err := l.Status(t.Context(), ledger.StatusRequest{Session: child})
	if err != nil || alone.Subagents == nil || alone.Subagents.N != 1 || !near(alone.Dollars, cost(cheap, 200_000, 10)+
		cost(dear, 300_000, 10)) {
		t.Errorf("the subagent's own: %+v, %v", alone.Use.Subagents, err)
	}
	priceless := add("main/agent-d", parent, answer("nobody-knows", "", 1_000))
	st, err = l.Status(t.Context(), ledger.StatusRequest{Session: parent})
	want := fmt.Sprintf("$%.2f at list prices, and 1,010 tokens of nobody-knows without a known price", all)
	if err != nil || !near(st.Subagents.Dollars, of) || !near(st.Dollars, all) || st.Cost.Words() != want {
		t.Errorf("with %s: %+v of %v, %q, %v", priceless, st.Subagents, st.Dollars, st.Cost.Words(), err)
	}
}

// TestATurnCostsWhatItsSubagentsTook: those in the log, and those with files of their own, and theirs, each in the turn in which
// it began, also if it went on in the next one. Together turns cost what the session did.
func TestATurnCostsWhatItsSubagentsTook(t *testing.T) {
	l := open(t)
	began := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	entry := func(minute int, role, author string, input int64) sessions.NewEntry {
		e := sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Author: author,
			Hidden: author != "", Time: began.Add(time.Duration(minute) * time.Minute),
			Original: []byte(`{"role":"` + role + `","content":"words"}`)}
		if input > 0 {
			e.Model, e.Usage = "claude-sonnet-4-5", &sessions.Usage{Input: input}
		}
		return e
	}
	add := func(id, parent string, entries ...sessions.NewEntry) string {
		t.Helper()
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:" + id,
			Session: sessions.Session{Host: "claude-code", HostID: id, Parent: parent},
			Next:    1, Done: true, Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		return r.Session
	}
	parent := add("main", "",
		entry(0, "user", "", 0), entry(1, "assistant", "", 100_000), entry(2, "assistant", "explorer", 10_000),
		entry(10, "user", "", 0), entry(11, "assistant", "", 100_000),
		entry(20, "user", "", 0), entry(21, "assistant", "", 100_000))
	child := add("main/agent-a", parent, entry(12, "assistant", "", 30_000), entry(25, "assistant", "", 30_000))
	add("main/agent-b", child, entry(13, "assistant", "", 40_000))
	g, err := l.TurnStats(t.Context(), ledger.TurnStatsRequest{Session: parent})
	if err != nil || len(g.Turns) != 3 {
		t.Fatalf("%+v, %v", g.Turns, err)
	}
	sum := 0.0
	costs := []string{"$0.33, including $0.03 for subagents", "$0.60, including $0.30 for subagents", "$0.30"}
	for i, want := range costs {
		if got := g.Turns[i].Cost(); got != want {
			t.Errorf("turn %d costs %s, not %s", i+1, got, want)
		}
		sum += g.Turns[i].Dollars
	}
	if math.Abs(sum-*g.Dollars) > 1e-9 {
		t.Errorf("turns cost %v, the session %v", sum, *g.Dollars)
	}
}

// TestASubagentsFileMayBeReadBeforeThatOfItsSession: it is nobody's session meanwhile, and counts in that one afterwards.
func TestASubagentsFileMayBeReadBeforeThatOfItsSession(t *testing.T) {
	l, dir := open(t), t.TempDir()
	read := func(name, agent string) sessions.Session {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		line := fmt.Sprintf(`{"type":"assistant","uuid":"u%s","parentUuid":null,"sessionId":"s1",%s"timestamp":`+
			`"2026-11-20T12:00:00Z","cwd":"/home/dev/shop","message":{"id":"m%[1]s","type":"message","role":"assistant",`+
			`"model":"claude-sonnet-4-5","content":[{"type":"text","text":"Done."}],`+
			`"usage":{"input_tokens":20000,"output_tokens":5}}}`+"\n", filepath.Base(path), agent)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := agents.Import(t.Context(), l, agents.Source{Path: path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Session(t.Context(), ledger.SessionRequest{Name: r.Session})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	child := read("s1/subagents/agent-7.jsonl", `"agentId":"7","isSidechain":true,`)
	page, err := l.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil || child.Main() || len(page.Sessions) != 1 {
		t.Fatalf("before its session is read the subagent is %+v among %d, %v", child, len(page.Sessions), err)
	}
	main := read("s1.jsonl", "")
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: main.ID})
	if err != nil || child.Parent != main.ID || !main.Main() || st.Subagents == nil || st.Subagents.N != 1 {
		t.Errorf("%s of %s counts as %+v in %+v, %v", child.ID, child.Parent, st.Subagents, main, err)
	}
}

// TestWhoStartedASessionIsLearntLater: of one that is recorded as nobody's, and what its own file says of one that a subagent named.
func TestWhoStartedASessionIsLearntLater(t *testing.T) {
	l := open(t)
	add := func(r ledger.AppendEntriesRequest) sessions.Session {
		t.Helper()
		r.Import, r.Session.Host, r.Next, r.Done = "import of "+r.Session.HostID, "codex", r.Offset+1, true
		out, err := l.AppendEntries(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Session(t.Context(), ledger.SessionRequest{Name: out.Session})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	child := sessions.Session{HostID: "child"}
	if s := add(ledger.AppendEntriesRequest{Session: child, StartedBy: "child"}); !s.Main() {
		t.Errorf("a session that says it started itself: %+v", s)
	}
	linked := add(ledger.AppendEntriesRequest{Session: child, StartedBy: "main", Offset: 1})
	main := add(ledger.AppendEntriesRequest{Session: sessions.Session{HostID: "main", Title: "mend it",
		Dir: "/home/dev/shop", Tree: "/home/dev/shop", Continues: "0f2c1111"}})
	if linked.Parent != main.ID || main.Title != "mend it" || main.Dir != "/home/dev/shop" || main.Tree != main.Dir ||
		main.Continues != "0f2c1111" {
		t.Errorf("%+v started %+v", main, linked)
	}
}
