package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/changes"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

func TestContextStatusShowsWhatFillsTheWindowAndOurOwnCost(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		session := f.shop(t)
		st, text := do[statusResult](t, c, "context_status", args{"session": session, "model": "gpt-4o"})
		if st.Session != session || st.Window != 128_000 || !st.Used.Exact || st.Used.N == 0 ||
			len(st.Categories) < 3 || len(st.NextCuts) == 0 {
			t.Errorf("status %+v", st)
		}
		sum := 0
		for _, x := range st.Categories {
			sum += x.Tokens.N
		}
		if sum != st.Used.N {
			t.Errorf("the categories sum to %d, used are %d", sum, st.Used.N)
		}
		if host := registry.ClientOf("claude-code"); st.Overhead != host.Tokens {
			t.Errorf("our own overhead is %d, not the %d of its requests", st.Overhead, host.Tokens)
		}
		// What the host really sends is what was measured, not our view of it.
		if st.Measured == 0 || st.Estimated != st.Held.N || st.Held.N < int(st.Measured) ||
			st.Remaining != max(0, st.Threshold-st.Estimated) || st.Turn != 7 {
			t.Errorf("the other names say something else: %+v", st)
		}
		if st.Savings == nil || st.Savings.Requests == 0 || st.Savings.Sent == 0 || len(st.Savings.Causes) != 0 {
			t.Errorf("nothing was replaced in this session: %+v", st.Savings)
		}
		contains(t, text, "not sent in this session because of ctxledger: nothing yet in ", "session "+session, "its window holds", "compact it above",
			"ctxledger's own tools cost", "model gpt-4o (as it would be with that model: the session's is scripted)")
		if count(text) > 1000 {
			t.Errorf("the status takes %d tokens", count(text))
		}
	})
}

func TestChangesAreListedByPathSessionAndSince(t *testing.T) {
	f := newFixture(t, nil)
	c := connect(t, f.Server, "tester")
	if r, text := do[changesResult](t, c, "changes", args{}); len(r.Entries) != 0 ||
		text != "no changes are known: session files are not followed: no daemon is in use" {
		t.Errorf("an empty ledger has %+v, %q", r, text)
	}
	session := f.shop(t)
	all, text := do[changesResult](t, c, "changes", args{"limit": 200})
	if len(all.Entries) != all.Total || all.Total < 50 {
		t.Fatalf("%d of %d changes", len(all.Entries), all.Total)
	}
	contains(t, text, "created report/report.go", "session "+session)
	if r, text := do[changesResult](t, c, "changes", args{"path": "/etc/hosts"}); len(r.Entries) != 0 ||
		!strings.Contains(text, "/etc/hosts is outside the workspace") {
		t.Errorf("a path outside: %+v, %q", r, text)
	}
	if _, text := do[changesResult](t, c, "changes", args{"session": session, "limit": 1}); !strings.HasPrefix(text,
		fmt.Sprintf("1 of %d changes by session %s, newest first:", all.Total, session)) {
		t.Errorf("of one session: %q", text)
	}
	for _, path := range []string{"report/report.go", "./report/report.go", shopRoot + "/report/report.go", "report",
		"report/"} {
		r, _ := do[changesResult](t, c, "changes", args{"path": path, "session": session})
		if len(r.Entries) == 0 || r.Total >= all.Total {
			t.Errorf("path %s: %d of %d changes", path, len(r.Entries), r.Total)
		}
	}
	if r, _ := do[changesResult](t, c, "changes", args{"path": shopRoot, "limit": 200}); r.Total != all.Total {
		t.Errorf("the workspace itself has %d changes, not %d", r.Total, all.Total)
	}
	for i := 1; i < len(all.Entries); i++ {
		if all.Entries[i].ID >= all.Entries[i-1].ID {
			t.Fatal("not newest first")
		}
	}
	since := all.Entries[4].ID
	if r, _ := do[changesResult](t, c, "changes", args{"since": since}); len(r.Entries) != 4 {
		t.Errorf("%d changes since the fifth", len(r.Entries))
	}
	contains(t, refused(t, c, "changes", args{"session": "nobody"}), "not_found:", "nobody")
}

func TestAnObservedChangeNamesWhoMayHaveMadeIt(t *testing.T) {
	two := changes.Change{Candidates: []changes.Candidate{{Session: "s1", Intent: "1"}, {Session: "s2"},
		{Session: "s1", Intent: "2"}}}
	r := changesResult{Total: 3, Entries: []changed{
		{ID: 3, Path: "a.go", Op: "modified", Source: "observed", Time: "T", Candidates: candidates(two)},
		{ID: 2, Path: "a.go", Op: "modified", Source: "observed", Time: "T"},
		{ID: 1, Path: "a.go", Op: "modified", Source: "observed", Time: "T", Session: "s1"},
	}}
	contains(t, r.String(), "(observed, T, perhaps session s1 or s2)", "(observed, T, external)",
		"(observed, T, session s1)")
}

// What is wrong with the configuration the answers that depend on it say.
func TestAnswersSayWhatIsWrongWithTheConfiguration(t *testing.T) {
	const wrong = "ctxledger.yaml:2:9: follow: true or false is expected; the defaults are in effect instead"
	f := newFixture(t, func(o *Options) {
		o.Problems = func(root string) []string {
			if root != shopRoot {
				t.Errorf("asked about %q", root)
			}
			return []string{wrong + "\x1b[31m"}
		}
	})
	session := f.shop(t)
	c := connect(t, f.Server, "tester")
	st, text := do[statusResult](t, c, "context_status", args{"session": session})
	contains(t, strings.Join(st.Warnings, "\n")+text, wrong, "warning: "+wrong)
	r, text := do[compactResult](t, c, "compact_conversation",
		args{"session": session, "keep_turns": 2, "dry_run": true})
	contains(t, strings.Join(r.Warnings, "\n")+text, wrong, "warning: "+wrong)
	if strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

// TestAStaleFileSaysWhatItsTimeIs: the time of the first look was told as that of the change.
func TestAStaleFileSaysWhatItsTimeIs(t *testing.T) {
	for seen, want := range map[bool]string{
		true:  "stale: a.go was changed outside the session, seen at 2026-11-27T19:00:00Z, after this chat read it",
		false: "stale: a.go was changed outside the session at 2026-11-27T19:00:00Z, after this chat read it",
	} {
		r := changesResult{Stale: []staleFile{
			{Path: "a.go", Changed: "2026-11-27T19:00:00Z", Seen: seen, By: "external"}}}
		if got := r.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := changesResult{Session: "ab12", Stale: []staleFile{
		{Path: "a.go", Changed: "T", By: "external", Wrote: true, Gone: true}}}
	want := "no changes by session ab12 itself recorded\nstale: a.go was deleted outside the session at T, after session ab12 wrote it"
	if got := r.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestThePanelIsThatOfTheSpecification: a conversation of seven calls that its host keeps here, with the figures of the example of
// the panel's text.
func TestThePanelIsThatOfTheSpecification(t *testing.T) {
	f := newFixture(t, nil)
	session, first := "", sessions.Usage{Input: 5_300, Output: 10}
	var said []json.RawMessage
	for i := range 7 {
		said = append(said, json.RawMessage(fmt.Sprintf(`{"role":"user","content":"do %d"}`, i)),
			json.RawMessage(fmt.Sprintf(`{"role":"assistant","content":"done %d: %s"}`, i,
				strings.Repeat("well, ", 80))))
		usage := first
		if i == 6 {
			usage = sessions.Usage{Input: 16_100, CacheRead: 12_000, Output: 1_300, Reasoning: 200}
		}
		raw, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := ledger.HandIn(t.Context(), f.local, ledger.AppendMessagesRequest{Session: session, Host: hostName,
			Format: transcript.OpenAIChat, Model: "gpt-4o", Usage: &usage}, raw)
		if err != nil {
			t.Fatal(err)
		}
		session = r.Session
	}
	st, text := do[statusResult](t, connect(t, f.Server, "tester"), "context_status", args{"session": session})
	contains(t, text, "`██████░░░░░░░░░░░░░░░░░░` **23%** — 29k of 128k tokens\n\nEstimated usage by category:\n"+
		"- fixed per call: ~5.3k (4.1%)\n- conversation: ~24k (18.8%)\n- free space: 22k (17.0%)\n"+
		"- old tool results start clearing at 31k (before any summary)\n"+
		"- auto-compact buffer: 77k (60.0%) — summarization triggers at 51k\n\n"+
		"Last call: input 28k (cache-read 12k) · output 1.3k (reasoning 200)\n"+
		"Conversation growth: +24k over 7 model calls\nModel: `gpt-4o`\n"+
		"`compact_conversation` summarizes older turns to free space now\n")
	p := st.Panel
	if p == nil || p.Held.N != 29_400 || !p.Held.Exact || p.Growth != 24_100 || p.Calls != 7 || !p.Sends ||
		p.Overhead == 0 || p.Cached == 0 || len(p.Messages) != 5 {
		t.Errorf("held %+v, growth %d, calls %d, sends %v, overhead %d, cached %d, messages %d", p.Held, p.Growth, p.Calls,
			p.Sends, p.Overhead, p.Cached, len(p.Messages))
	}
	r, _ := do[compactResult](t, connect(t, f.Server, "tester"), "compact_conversation",
		args{"session": session, "keep_turns": 1, "budget_tokens": 300})
	st, text = do[statusResult](t, connect(t, f.Server, "tester"), "context_status", args{"session": session})
	if r.Status != "compacted" || !st.Panel.Compacted || strings.Contains(text, "Conversation growth") ||
		!strings.Contains(text, "_estimated after compaction — refined on your next reply_") {
		t.Errorf("after a compaction (%+v):\n%s", r, text)
	}
}
