package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// TestWhichSessionIsFollowed: to add a case, add a row. A session is "NAME MINUTES", with the minutes since it was
// active; others is how many are live beside the one that is followed.
func TestWhichSessionIsFollowed(t *testing.T) {
	for _, c := range []struct {
		name, sessions, followed, pinned, near, want string
		others                                       int
	}{
		{"none", "", "", "", "", "", 0},
		{"the only one", "a 1", "", "", "", "a", 0},
		{"the newest of two", "a 2; b 1", "", "", "", "b", 1},
		{"two agents do not take turns", "a 2; b 1", "a", "", "", "a", 1},
		{"an idle one gives way to a live one", "a 14; b 1", "a", "", "", "b", 0},
		{"an idle one stays without a live one", "a 14; b 20", "a", "", "", "a", 0},
		{"the newest of idle ones, as if they were followed", "a 14; b 20", "b", "", "", "a", 0},
		{"one of yesterday is none", "a 1500", "", "", "", "", 0},
		{"the one that the user chose", "a 1; b 30", "a", "b", "", "b", 1},
		{"the one that the user chose, of yesterday", "a 1; b 1500", "a", "b", "", "b", 1},
		{"the one that the user chose is forgotten", "a 1", "", "ffffffff", "", "a", 0},
		{"that of a terminal", "a 2; b 1", "b", "", "a", "a", 1},
		{"that of a terminal, idle", "a 30; b 1", "b", "", "a", "a", 1},
		{"that of a terminal, of yesterday", "a 1500; b 1", "", "", "a", "b", 0},
		{"those of two terminals do not take turns", "a 2; b 1; c 1", "a", "", "a b", "a", 2},
		{"that of the active terminal", "a 30; b 1; c 1", "b", "", "!a b", "a", 2},
		{"the one that the user chose, not that of a terminal", "a 1; b 2", "", "b", "!a", "b", 1},
		{"a copy that nobody went on with", "a 2; copy 1", "", "", "", "a", 0},
		{"nothing but such a copy", "copy 1", "", "", "", "", 0},
		{"a copy in whose terminal somebody is", "a 2; copy 1", "", "", "copy", "copy", 1},
		{"the one that was resumed as another one", "a 2; used 1", "a", "", "", "used", 1},
		{"the one that was resumed, and goes on", "a 1; used 2", "used", "", "", "used", 1},
		{"that of a terminal is not recorded yet", "a 2; b 1", "", "", "!new", "b", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := env.System()
			local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: clock})
			if err != nil {
				t.Fatal(err)
			}
			defer local.Close()
			ids := map[string]string{c.pinned: c.pinned, "": ""}
			for line := range strings.SplitSeq(c.sessions, ";") {
				if f := strings.Fields(line); len(f) == 2 {
					ids[f[0]] = recorded(t, local, f[0], f[1]+"m")
				}
			}
			near := func() (all []Near) {
				for name := range strings.FieldsSeq(c.near) {
					id, active := strings.CutPrefix(name, "!")
					all = append(all, Near{Host: "h", ID: id, Active: active},
						Near{Host: "other", ID: "b", Active: true})
				}
				return all
			}
			w := watcher{api: unclosed{local}, titles: map[string]string{},
				o: Options{Env: clock, Tree: "/ws", Pinned: ids[c.pinned], Near: near}}
			if c.followed != "" {
				w.reader = newReader(sessions.Session{ID: ids[c.followed]})
			}
			got, others, err := w.choose(t.Context(), all(t, local))
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				got = &sessions.Session{}
			}
			if got.ID != ids[c.want] || len(others) != c.others {
				t.Errorf("followed is %q beside %v, want %s (%s) beside %d", got.ID, others, c.want, ids[c.want],
					c.others)
			}
		})
	}
}

// TestTheFullestSessionIsFollowed: of several that are live, and the others are told of, the fullest first. Two that are
// about as full do not take turns.
func TestTheFullestSessionIsFollowed(t *testing.T) {
	local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	ids := map[string]string{}
	holds := func(name string, next, tokens int64) {
		t.Helper()
		r, err := local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: name, Session: sessions.Session{Host: "h", HostID: name}, Done: true, Offset: next - 1, Next: next,
			Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic, Time: time.Now(),
				Model: "claude-sonnet-4-5", HostID: name + strings.Repeat("x", int(next)),
				Usage: &sessions.Usage{CacheRead: tokens}, Original: []byte(`{"role":"assistant","content":"Yes."}`)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = r.Session
	}
	holds("a", 1, 120_000)
	holds("b", 1, 40_000)
	holds("c", 1, 80_000)
	w := watcher{api: unclosed{local}, o: Options{Env: env.System(), Tree: "/ws"}, titles: map[string]string{}}
	chosen := func(want string, rest ...string) {
		t.Helper()
		s, others, err := w.choose(t.Context(), all(t, local))
		if err != nil {
			t.Fatal(err)
		}
		w.reader = newReader(*s)
		var got []string
		for _, o := range others {
			got = append(got, o.Session)
		}
		if s.ID != ids[want] || !slices.Equal(got, []string{ids[rest[0]], ids[rest[1]]}) {
			t.Errorf("followed is %s beside %v, want %s of %v", s.ID, got, want, ids)
		}
	}
	chosen("a", "c", "b")
	holds("c", 2, 125_000) // not by so much
	chosen("a", "c", "b")
	holds("c", 3, 140_000)
	chosen("c", "a", "b")
}

func TestSessionsOfThisTreeGoFirst(t *testing.T) {
	now := time.Now()
	session := func(id, tree string, age time.Duration) sessions.Session {
		return sessions.Session{ID: id, Tree: tree, Updated: now.Add(-age)}
	}
	w := watcher{o: Options{Tree: "/ws"}}
	here, there := session("a", "/ws", 3*time.Minute), session("b", "/other", time.Minute)
	if got := w.best([]sessions.Session{there, here}, nil, now); got.ID != "a" {
		t.Errorf("followed is %s of another tree", got.ID)
	}
	here.Updated = now.Add(-time.Hour)
	if got := w.best([]sessions.Session{there, here}, nil, now); got.ID != "b" {
		t.Errorf("followed is %s, which is idle", got.ID)
	}
}

// recorded adds a session whose newest entry is of some time ago, and returns its id.
func recorded(t *testing.T, local ledger.Recorder, name, ago string) string {
	t.Helper()
	age, err := time.ParseDuration(ago)
	if err != nil {
		t.Fatal(err)
	}
	s := sessions.Session{Host: "h", HostID: name}
	if name == "copy" {
		s.Continues = "0badc0de"
	}
	var usage *sessions.Usage
	if name == "used" {
		page, err := local.(ledger.SessionReader).Sessions(t.Context(), ledger.SessionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		s.Continues, usage = page.Sessions[0].ID, &sessions.Usage{Output: 1}
	}
	r, err := local.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
		Import: name, Session: s, Done: true, Next: 1,
		Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Format: transcript.Anthropic,
			Time: time.Now().Add(-age), Usage: usage, Original: []byte(`{"role":"user","content":"Hello."}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// all returns all sessions of a ledger.
func all(t *testing.T, api ledger.SessionReader) []sessions.Session {
	t.Helper()
	page, err := api.Sessions(t.Context(), ledger.SessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Sessions
}
