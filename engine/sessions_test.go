package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// begun imports a session of one note at a time.
func begun(t *testing.T, l *engine.Local, s sessions.Session, at time.Time) string {
	t.Helper()
	s.Host = "claude-code"
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "import of " + s.HostID, Session: s, Next: 1, Done: true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Time: at, Original: []byte("{}")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Session
}

func TestWhichSessionIsMeant(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	ask := func(r ledger.SessionRequest) (string, error) {
		s, err := l.Session(t.Context(), r)
		return s.ID, err
	}
	want := func(what string, r ledger.SessionRequest, id string, code fault.Code, words ...string) {
		t.Helper()
		got, err := ask(r)
		if got != id || fault.CodeOf(err) != code {
			t.Errorf("%s: %q, %v; want %q, %q", what, got, err, id, code)
		}
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error()+fault.HintOf(err), w) {
				t.Errorf("%s: %v (hint %q) does not say %q", what, err, fault.HintOf(err), w)
			}
		}
	}
	want("nothing recorded, the latest", ledger.SessionRequest{Latest: true}, "", fault.NotFound, "import")
	want("nothing is named", ledger.SessionRequest{}, "", fault.Invalid)

	old := begun(t, l, sessions.Session{HostID: "0f2c-old"}, c.now.Add(-time.Hour))
	want("the latest, an hour old", ledger.SessionRequest{Latest: true}, old, "")

	active := begun(t, l, sessions.Session{HostID: "4b1d-active"}, c.now.Add(-9*time.Minute))
	sub := begun(t, l, sessions.Session{HostID: "4b1d-active/agent-1", Parent: active}, c.now.Add(-time.Minute))
	want("by id", ledger.SessionRequest{Name: old}, old, "")
	want("by the beginning of an id", ledger.SessionRequest{Name: old[:5]}, old, "")
	want("by the host's id", ledger.SessionRequest{Name: "0f2c-old"}, old, "")
	want("by the beginning of the host's id", ledger.SessionRequest{Name: "0f2c"}, old, "")
	want("too short a beginning", ledger.SessionRequest{Name: "0f2"}, "", fault.NotFound)
	want("a beginning that is also its subagent's", ledger.SessionRequest{Name: "4b1d"}, active, "")
	want("a subagent's, by name", ledger.SessionRequest{Name: "4b1d-active/agent-1"}, sub, "")
	want("the host's variable", ledger.SessionRequest{HostID: "0f2c-old"}, old, "")
	want("the beginning of a host's variable", ledger.SessionRequest{HostID: "0f2c"}, "", fault.NotFound)
	want("the host's variable is not recorded", ledger.SessionRequest{HostID: "unknown", Latest: true}, "",
		fault.NotFound)
	want("a name wins over the variable", ledger.SessionRequest{Name: "0f2c-old", HostID: "4b1d-active"}, old, "")
	want("an unknown name", ledger.SessionRequest{Name: "unknown", HostID: "4b1d-active", Latest: true}, "",
		fault.NotFound, "unknown")
	want("a long name", ledger.SessionRequest{Name: strings.Repeat("x", 1<<20)}, "", fault.TooLarge)
	want("a long variable", ledger.SessionRequest{HostID: strings.Repeat("x", 1<<20)}, "", fault.TooLarge)

	second := begun(t, l, sessions.Session{HostID: "77aa-second"}, c.now.Add(-2*time.Minute))
	want("two active, the latest", ledger.SessionRequest{Latest: true}, second, "") // not the subagent's

	// What an agent notes down without a session is newer, but there is nothing to show of it.
	asked := imported(t, l, 0, asking("go"))
	if _, err := l.KeepNotes(t.Context(), ledger.KeepNotesRequest{Notes: sessions.Notes{Text: "my goal"}}); err != nil {
		t.Fatal(err)
	}
	want("notes alone, the latest", ledger.SessionRequest{Latest: true}, asked, "")
}

// calling imports a session that makes calls, of which the answered ones have results.
func calling(t *testing.T, l *engine.Local, hostID string, at time.Time, calls []string, answered ...string) string {
	t.Helper()
	var entries []sessions.NewEntry
	add := func(text string) {
		entries = append(entries, sessions.NewEntry{Kind: sessions.KindMessage, Time: at, Format: "anthropic",
			Original: []byte(text)})
	}
	for _, id := range calls {
		add(`{"role":"assistant","content":[{"type":"tool_use","id":"` + id +
			`","name":"Bash","input":{"command":"ls"}}]}`)
		if slices.Contains(answered, id) {
			add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"a.go"}]}`)
		}
	}
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "import of " + hostID, Session: sessions.Session{Host: "claude-code", HostID: hostID}, Next: 1,
		Done: true, Entries: entries,
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Session
}

func TestTheSessionOfACall(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	a := calling(t, l, "a", c.now.Add(-time.Hour), []string{"c1", "c2"}, "c1")
	b := calling(t, l, "b", c.now, []string{"c1", "c3", "c4"}, "c1", "c3") // a fork of a, which has copied c1
	calling(t, l, "d", c.now, []string{"c4"})
	for _, tt := range []struct {
		name string
		call string
		want string
		code fault.Code
	}{
		{"its own", "c2", a, ""},
		{"answered, in one session", "c3", b, ""},
		{"answered, and copied by a fork", "c1", "", fault.Conflict},
		{"open in two sessions", "c4", "", fault.Conflict},
		{"unknown", "c9", "", fault.NotFound},
		{"too long", strings.Repeat("x", 1<<20), "", fault.TooLarge},
	} {
		// Other sessions are newer, and the variable names one: the call decides alone.
		got, err := l.Session(t.Context(), ledger.SessionRequest{Call: tt.call, HostID: "a", Latest: true})
		if got.ID != tt.want || fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %q, %v", tt.name, got.ID, err)
		}
	}
}

func TestSessionListsAreCapped(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	for i := range 120 {
		begun(t, l, sessions.Session{HostID: fmt.Sprint(i)}, c.now.Add(time.Duration(-i)*time.Minute))
	}
	for limit, want := range map[int]int{0: 100, -1: 100, 7: 7, 110: 110, 1 << 30: 120} {
		resp, err := l.Sessions(t.Context(), ledger.SessionsRequest{Limit: limit})
		if err != nil || len(resp.Sessions) != want || resp.Total != 120 || resp.Sessions[0].HostID != "0" {
			t.Errorf("limit %d: %d of %d, %v", limit, len(resp.Sessions), resp.Total, err)
		}
	}
}

func TestASubagentsModelIsNotTheSessions(t *testing.T) {
	l := open(t)
	resp, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: "i", Session: sessions.Session{Host: "h", HostID: "i"}, Next: 1, Done: true,
		Entries: []sessions.NewEntry{
			{Kind: sessions.KindMessage, Format: "anthropic", Model: "large", Original: spell("a")[0]},
			{Kind: sessions.KindMessage, Format: "anthropic", Model: "small", Original: spell("b")[0], Hidden: true,
				Author: "explorer"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := l.Session(t.Context(), ledger.SessionRequest{Name: resp.Session}); err != nil || s.Model != "large" {
		t.Errorf("model %q, %v", s.Model, err)
	}
}

func TestLogPagesJoinAndFitAFrame(t *testing.T) {
	volume(t)
	l := open(t)
	id := shop(t, l)
	for _, limit := range []int{0, 1, 100} {
		var seqs int64
		for r := (ledger.LogRequest{Session: id, Originals: true, Limit: limit}); ; {
			page, err := l.Log(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if raw := asJSON(t, page); len(raw) > 4<<20 {
				t.Fatalf("a page of %d bytes", len(raw))
			}
			if limit > 0 && len(page.Entries) > limit {
				t.Fatalf("%d entries, limit %d", len(page.Entries), limit)
			}
			for _, e := range page.Entries {
				if seqs++; e.Seq != seqs {
					t.Fatalf("entry %d after %d", e.Seq, seqs-1)
				}
			}
			if r.From = page.Next; r.From == 0 {
				break
			}
		}
		var want int64
		for e, err := range ledger.LogEntries(t.Context(), l, ledger.LogRequest{Session: id, Limit: limit}) {
			if want++; err != nil || e.Seq != want {
				t.Fatalf("entry %d of all is %d: %v", want, e.Seq, err)
			}
		}
		if seqs != want {
			t.Errorf("limit %d: %d entries, want %d", limit, seqs, want)
		}
	}
	for _, r := range []ledger.LogRequest{{Session: id, From: 1 << 40}, {Session: id, From: 5, To: 3}} {
		if page, err := l.Log(t.Context(), r); err != nil || len(page.Entries) != 0 || page.Next != 0 {
			t.Errorf("%+v: %+v, %v", r, page, err)
		}
	}
	var err error
	for _, err = range ledger.LogEntries(t.Context(), l, ledger.LogRequest{Session: "unknown"}) {
	}
	wantCode(t, err, fault.NotFound)
}

// TestTheLatestSessionIsOneThatIsRemembered: after forgetting the newest, commands that take the latest took what was left
// of it.
func TestTheLatestSessionIsOneThatIsRemembered(t *testing.T) {
	l, c := openIn(t, t.TempDir(), "/w")
	latest := func(want string) {
		t.Helper()
		if s, err := l.Session(t.Context(), ledger.SessionRequest{Latest: true}); err != nil || s.ID != want {
			t.Errorf("the latest is %s, %v; want %s", s.ID, err, want)
		}
	}
	said := func(text string) [][]byte { return [][]byte{raw(`{"role":"user","content":"%s"}`, text)} }
	first := hand(t, l, ledger.AppendMessagesRequest{Messages: said("one")}).Session
	c.now = c.now.Add(time.Minute)
	second := hand(t, l, ledger.AppendMessagesRequest{Messages: said("two")}).Session
	latest(second)
	c.now = c.now.Add(time.Minute)
	if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: second}); err != nil {
		t.Fatal(err)
	}
	latest(first)
	c.now = c.now.Add(time.Minute)
	hand(t, l, ledger.AppendMessagesRequest{Session: second, Since: true, Messages: said("three")})
	latest(second)
}
