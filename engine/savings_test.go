package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// asked is a measured answer that makes a call.
func asked(id, input int, tool, args string) sessions.NewEntry {
	return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Model: "gpt-4o",
		Usage: &sessions.Usage{Input: int64(input), Output: 5},
		Original: fmt.Appendf(nil, `{"role":"assistant","content":[`+
			`{"type":"tool_use","id":"c%d","name":%q,"input":%s}]}`, id, tool, args)}
}

// output is the result of a call.
func output(t *testing.T, id int, text string) sessions.NewEntry {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return sessions.NewEntry{Kind: sessions.KindMessage, Format: transcript.Anthropic, Original: fmt.Appendf(nil,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":%s}]}`, id, quoted)}
}

// ofFile appends entries to the session file of a hooked session.
func ofFile(t *testing.T, l *engine.Local, s ledger.LiveSession, entries ...sessions.NewEntry) string {
	t.Helper()
	done, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: "claude-code:" + s.HostID, Next: 1,
		Done: true, Session: sessions.Session{Host: s.Host, HostID: s.HostID, Dir: s.Dir}, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return done.Session
}

// checks is the output of a command that a session runs, and what the hook puts in its place the second time.
const checks = `{"command":"sh check.sh"}`

func repeatedOutput(t *testing.T, l *engine.Local, s ledger.LiveSession) (whole string, taken ledger.TakenResult) {
	t.Helper()
	whole = strings.Repeat("ok price 1234 of an article\n", 200)
	take(t, l, s, "c1", "Bash", checks, whole, "")
	if taken = take(t, l, s, "c2", "Bash", checks, whole, "c1"); !taken.Repeated {
		t.Fatal("the hook did not replace the repeated output")
	}
	return whole, taken
}

// TestAStatusSaysWhatWasNotSent plays a session whose hook replaced a repeated output. Each request after it did not send
// the difference; one that only reads back counts as a whole; our tools count in each request.
func TestAStatusSaysWhatWasNotSent(t *testing.T) {
	l := open(t)
	s := hookedSession(t.TempDir())
	whole, taken := repeatedOutput(t, l, s)
	list := []sessions.NewEntry{asked(1, 1_000, "Bash", checks), output(t, 1, whole),
		asked(2, 3_000, "Bash", checks), output(t, 2, taken.Stub),
		asked(3, 3_100, "Bash", `{"command":"ls"}`), output(t, 3, "a"),
		asked(4, 3_200, "mcp__ctxledger__read_artifact", `{"id":"`+taken.Handle+`"}`), output(t, 4, "ok price"),
		asked(5, 3_300, "Bash", `{"command":"ls"}`)}
	for i := range list {
		list[i].Time = time.Now()
	}
	id, own := ofFile(t, l, s, list...), ledger.OwnTools{Tokens: 100, Since: time.Now().Add(-time.Hour)}
	st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Tools: &own})
	if err != nil {
		t.Fatal(err)
	}
	saved := 3 * (tokens.O200kBase.CountString(whole) - tokens.O200kBase.CountString(taken.Stub))
	said := st.Savings
	if said.Requests != 5 || said.Sent != 13_600 || len(said.Causes) != 1 || said.Causes[0].Cause != "repeated" ||
		said.Causes[0].Results != 1 || said.Causes[0].Tokens.N != saved {
		t.Errorf("%+v, want %d tokens of a repeated result in 5 requests", said, saved)
	}
	if said.ReadBack.N != 3_300 || said.Tools == nil || said.Tools.N != 500 || said.Net != saved-3_300-500 {
		t.Errorf("%+v, want 3,300 read back, 500 of tools and the rest net", said)
	}
	if unknown := status(t, l, id).Savings; unknown.Tools != nil || unknown.Net != saved-3_300 ||
		!strings.Contains(unknown.String(), "the tokens that ctxledger's tools took are not known") {
		t.Errorf("without a configuration: %+v, %s", unknown, unknown)
	}
}

// TestStubsThatAnotherSessionHasSaveNothing: a session that resume wrote has stubs in copied records, and no hook put them
// there (issue 46).
func TestStubsThatAnotherSessionHasSaveNothing(t *testing.T) {
	l := open(t)
	s := hookedSession(t.TempDir())
	_, taken := repeatedOutput(t, l, s)
	entries := []sessions.NewEntry{asked(2, 3_000, "Bash", checks), output(t, 2, taken.Stub),
		asked(3, 3_100, "Bash", checks)}
	entries[0].Copied, entries[1].Copied = true, true
	const want = "nothing yet in 1 request"
	if got := status(t, l, ofFile(t, l, s, entries...)).Savings.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOurToolsTookNothingBeforeTheyWereThere: a configuration that was changed after a session began says nothing of its
// requests. Those since the first call of one of our tools had them.
func TestOurToolsTookNothingBeforeTheyWereThere(t *testing.T) {
	l := open(t)
	s := hookedSession(t.TempDir())
	later := &ledger.OwnTools{Tokens: 100, Since: time.Now().Add(time.Hour)}
	for i, c := range []struct{ tool, want string }{
		{"Bash", "nothing yet in 3 requests"},
		{"mcp__ctxledger__changes", "nothing yet in 3 requests; ctxledger's tools took ≈200 in the 2 requests since their first call"},
	} {
		s.HostID = fmt.Sprint(i)
		id := ofFile(t, l, s, asked(1, 1_000, "Bash", checks), output(t, 1, "a"), asked(2, 1_100, c.tool, `{}`),
			output(t, 2, "b"), asked(3, 1_200, "Bash", checks))
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: id, Tools: later})
		if got := st.Savings.String(); err != nil || got != c.want {
			t.Errorf("%s: %q, not %q, %v", c.tool, got, c.want, err)
		}
	}
}

// TestWhatAHostSummaryReplacedSavesNoMore: after its host's compaction a context has no stubs.
func TestWhatAHostSummaryReplacedSavesNoMore(t *testing.T) {
	l := open(t)
	s := hookedSession(t.TempDir())
	whole, taken := repeatedOutput(t, l, s)
	entries := []sessions.NewEntry{asked(2, 3_000, "Bash", checks), output(t, 2, taken.Stub),
		asked(3, 3_100, "Bash", checks)}
	entries = append(append(entries, hostCut(true, 3_200)...), asked(4, 900, "Bash", checks))
	st := status(t, l, ofFile(t, l, s, entries...)).Savings
	saved := tokens.O200kBase.CountString(whole) - tokens.O200kBase.CountString(taken.Stub)
	if st.Requests != 3 || st.Net != saved {
		t.Errorf("%+v, want %d tokens in the one request before the summary", st, saved)
	}
}

// TestWhatNobodySavedIsSaidSo: nothing replaced, and nothing measured.
func TestWhatNobodySavedIsSaidSo(t *testing.T) {
	l := open(t)
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: say("Hello.", "Hello.")}).Session
	if got := status(t, l, id).Savings.String(); got != "nothing yet: no request was measured" {
		t.Error(got)
	}
	for _, c := range []struct {
		s    ledger.Savings
		want string
	}{
		{ledger.Savings{Unknown: 2}, "not known: 2 results replaced before sizes were recorded"},
		{ledger.Savings{Requests: 3, Sent: 900, Net: -300, Tools: &tokens.Count{N: 300, Exact: true},
			ToolRequests: 3},
			"nothing yet in 3 requests; ctxledger's tools took 300"},
		{ledger.Savings{Requests: 2, Sent: 900, Net: 100, Causes: []ledger.Saving{{Cause: "large", Results: 1,
			Tokens: tokens.Count{N: 100}}}, Unknown: 1}, "≈100 tokens, 10.0% of the ≈1,000 that 2 requests would have sent: " +
			"1 large result ≈100; the tokens that ctxledger's tools took are not known; without 1 result replaced before sizes were recorded"},
	} {
		if got := c.s.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
