package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/intents"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// history is a conversation in which each turn writes a file: an answer with usage, and its result.
func history(from, to int) (out []sessions.NewEntry) {
	for n := from; n <= to; n++ {
		answer := saidAt("assistant", fmt.Sprintf("a%d", n), "", 3*n+1)
		answer.Original = fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"tool_use","id":"call-%d","name":"Write",`+
			`"input":{"file_path":"f%d.txt","content":"x"}}]}`, n, n)
		result := saidAt("user", fmt.Sprintf("r%d", n), "", 3*n+2)
		result.Original = fmt.Appendf(nil, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-%d",`+
			`"content":"written"}]}`, n)
		out = append(out, saidAt("user", fmt.Sprintf("u%d", n), fmt.Sprintf("Write file %d.", n), 3*n), answer, result)
	}
	return out
}

// inGroups names the answer that each record is a part of.
func inGroups(name string, list []sessions.NewEntry) []sessions.NewEntry {
	for i := range list {
		if list[i].Usage != nil {
			list[i].Group = name + list[i].HostID
		}
	}
	return list
}

// TestAForkUnderOtherIdsCountsNothingTwice: its records have the times, and its answers the names, of those that they copy.
func TestAForkUnderOtherIdsCountsNothingTwice(t *testing.T) {
	l := open(t)
	readIn(t, l, "h", "trunk", 100, inGroups("m", history(1, 4)))
	fork := slices.Concat(own("fork", inGroups("m", history(1, 3))), own("fork", inGroups("n", history(5, 6))))
	got := readIn(t, l, "h", "fork", 4, fork)
	if got.Usage.Input != 200 || got.Fork == nil || got.Fork.Entries != 9 {
		t.Errorf("it paid %d tokens, and is %+v", got.Usage.Input, got.Fork)
	}
}

// own is the same under ids that no other session has.
func own(session string, list []sessions.NewEntry) []sessions.NewEntry {
	for i := range list {
		list[i].HostID = session + list[i].HostID
	}
	return list
}

// readIn imports a session of one host in batches of n records.
func readIn(t *testing.T, l *engine.Local, host, name string, n int, list []sessions.NewEntry) sessions.Session {
	t.Helper()
	var resp ledger.AppendEntriesResponse
	for at := 0; at < len(list); at += n {
		to := min(at+n, len(list))
		var err error
		resp, err = l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
			Import: name, Session: sessions.Session{Host: host, HostID: name},
			Offset: int64(at), Next: int64(to), Entries: list[at:to], Done: to == len(list),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sessionOf(t, l, resp.Session)
}

// TestAForkCountsNothingTwice imports sessions that share their beginning, as hosts make them when a session is forked or
// resumed: every write is one change, and every answer is paid once.
func TestAForkCountsNothingTwice(t *testing.T) {
	type session struct {
		name    string
		list    []sessions.NewEntry
		answers int64 // paid by it
		copies  int
	}
	trunk := session{"trunk", history(1, 4), 4, 0}
	for name, c := range map[string]struct {
		sessions []session
		changes  int
	}{
		"forked": {[]session{trunk, {"fork", append(history(1, 3), own("fork", history(5, 6))...), 2, 9}}, 6},
		"the fork was read first": {[]session{{"fork", append(history(1, 3), own("fork", history(5, 6))...), 5, 0},
			{"trunk", history(1, 4), 1, 9}}, 6},
		"nothing new": {[]session{trunk, {"fork", history(1, 2), 0, 6}}, 4},
		"two forks": {[]session{trunk, {"one", append(history(1, 1), own("one", history(5, 5))...), 1, 3},
			{"two", append(history(1, 4), own("two", history(6, 6))...), 1, 12}}, 6},
		"a fork of a fork": {[]session{trunk, {"one", append(history(1, 2), own("one", history(5, 6))...), 2, 6},
			{"two", slices.Concat(history(1, 2), own("one", history(5, 5)), own("two", history(7, 7))), 1, 9}}, 7},
		"another session at the same time": {[]session{trunk,
			{"other", own("other", inGroups("another", history(1, 2))), 2, 0}}, 6},
		"another session": {[]session{trunk, {"other", own("other", history(5, 6)), 2, 0}}, 6},
	} {
		for _, batch := range []int{1, 4, 100} {
			t.Run(fmt.Sprintf("%s in batches of %d", name, batch), func(t *testing.T) {
				l := open(t)
				for _, s := range c.sessions {
					got := readIn(t, l, "h", s.name, batch, s.list)
					copies := 0
					if got.Fork != nil {
						copies = got.Fork.Entries
					}
					if got.Usage.Input != 100*s.answers || copies != s.copies {
						t.Errorf("%s paid %d tokens and has %d copies, want %d and %d", s.name, got.Usage.Input, copies,
							100*s.answers, s.copies)
					}
					// Its own conversation has all of it.
					if list := log(t, l, got.ID); len(list) != len(s.list) || got.Turns != len(s.list)/3 {
						t.Errorf("%s has %d records and %d turns", s.name, len(list), got.Turns)
					}
				}
				all, err := l.Changes(t.Context(), ledger.ChangesRequest{})
				if err != nil || len(all.Changes) != c.changes {
					t.Errorf("%d changes, want %d, %v", len(all.Changes), c.changes, err)
				}
			})
		}
	}
}

// Forks whose first record has the id of the session that they come from, as Codex's have, are of that session's family.
func TestAForkMayNameTheSessionItComesFrom(t *testing.T) {
	meta := func(id string) []sessions.NewEntry {
		return []sessions.NewEntry{{Kind: sessions.KindNote, Time: time.Now(), HostID: id, Original: []byte("{}")}}
	}
	l := open(t)
	readIn(t, l, "codex", "trunk", 100, slices.Concat(meta("trunk"), history(1, 3)))
	readIn(t, l, "codex", "one", 100, slices.Concat(meta("trunk"), history(1, 2), own("one", history(4, 4))))
	two := readIn(t, l, "codex", "two", 100, slices.Concat(meta("one"), history(1, 1), own("two", history(5, 5))))
	other := readIn(t, l, "codex", "other", 100, slices.Concat(meta("other"), history(1, 1)))
	if two.Usage.Input != 100 || two.Fork == nil || other.Usage.Input != 100 || other.Fork != nil {
		t.Errorf("%+v, %+v", two, other)
	}
}

// TestForksMayComeBeforeTheSessionsTheyComeFrom: what is read first counts it.
func TestForksMayComeBeforeTheSessionsTheyComeFrom(t *testing.T) {
	meta := func(id string) []sessions.NewEntry {
		return []sessions.NewEntry{{Kind: sessions.KindNote, Time: time.Now(), HostID: id, Original: []byte("{}")}}
	}
	l := open(t)
	two := readIn(t, l, "codex", "two", 100, slices.Concat(meta("one"), history(1, 2), own("two", history(5, 5))))
	one := readIn(t, l, "codex", "one", 100, slices.Concat(meta("trunk"), history(1, 2), own("one", history(4, 4))))
	trunk := readIn(t, l, "codex", "trunk", 100, slices.Concat(meta("trunk"), history(1, 3)))
	if two.Usage.Input != 300 || one.Usage.Input != 100 || trunk.Usage.Input != 100 {
		t.Errorf("%+v, %+v, %+v", two.Usage, one.Usage, trunk.Usage)
	}
}

// TestAForkMayGiveItsCopiesOtherIds: records that name the ones that they are copies of count with those, whatever is read
// first, and once without them.
func TestAForkMayGiveItsCopiesOtherIds(t *testing.T) {
	named := func(session, of string, list []sessions.NewEntry) []sessions.NewEntry {
		for i := range list {
			list[i].Origin = sessions.Origin{Session: of, Record: list[i].HostID}
		}
		return own(session, list)
	}
	all := map[string]func() []sessions.NewEntry{
		"trunk": func() []sessions.NewEntry { return history(1, 4) },
		"one": func() []sessions.NewEntry {
			return append(named("one", "trunk", history(1, 3)), own("one", history(5, 6))...)
		},
		"two": func() []sessions.NewEntry {
			return append(named("two", "trunk", history(1, 2)), own("two", history(7, 7))...)
		},
		// Forks that keep the ids, of which one names them.
		"kept": func() []sessions.NewEntry {
			return append(named("", "trunk", history(1, 3)), own("kept", history(5, 5))...)
		},
		"plain": func() []sessions.NewEntry { return append(history(1, 3), own("plain", history(5, 5))...) },
		"fork of one": func() []sessions.NewEntry { // with a record of its own in front
			return slices.Concat(own("begin", history(8, 8)), named("deep", "one", own("one", history(1, 3))),
				named("deep", "one", own("one", history(5, 5))), own("deep", history(9, 9)))
		},
	}
	for _, c := range []struct {
		order []string
		want  int64 // answers that are paid
	}{
		{[]string{"trunk", "one", "two", "fork of one"}, 4 + 2 + 1 + 2},
		{[]string{"fork of one", "one", "two", "trunk"}, 4 + 2 + 1 + 2},
		{[]string{"one", "trunk", "fork of one", "two"}, 4 + 2 + 1 + 2},
		{[]string{"two", "one"}, 3 + 2 + 1},
		{[]string{"fork of one", "one", "trunk"}, 4 + 2 + 2},
		{[]string{"one"}, 5},
		{[]string{"kept", "plain"}, 3 + 1 + 1}, // of a session that is not there
		{[]string{"kept", "plain", "trunk"}, 3 + 1 + 1 + 1},
	} {
		for _, batch := range []int{1, 4, 100} {
			l, paid := open(t), int64(0)
			for _, name := range c.order {
				paid += readIn(t, l, "h", name, batch, all[name]()).Usage.Input / 100
			}
			if paid != c.want {
				t.Errorf("%q in batches of %d: %d answers are paid, want %d", c.order, batch, paid, c.want)
			}
		}
	}
}

// The history of a file has each call once, and what a fork copied waits for nothing.
func TestCopiedCallsAreFoundInTheirOwnSessionAlone(t *testing.T) {
	l := open(t)
	list := history(1, 2)
	readIn(t, l, "h", "trunk", 100, list)
	fork := readIn(t, l, "h", "fork", 100, append(list[:5], own("fork", history(3, 3))...)) // without the last result
	of, err := l.Intents(t.Context(), ledger.IntentsRequest{Session: fork.ID})
	if err != nil || len(of.Intents) != 3 || !of.Intents[0].Copied || of.Intents[2].Copied {
		t.Errorf("the fork has the intents %+v, %v", of.Intents, err)
	}
	for _, path := range []string{"f1.txt", "f2.txt"} {
		h, err := l.FileHistory(t.Context(), ledger.FileHistoryRequest{Path: path})
		if err != nil || len(h.Intents) != 1 || h.Intents[0].Status != intents.Applied || len(h.Changes) != 1 {
			t.Errorf("%s: %+v, %v", path, h, err)
		}
	}
	found := events(t, l, ledger.WaitEventsRequest{Kinds: []string{ledger.EventForked}}).Events
	if len(found) != 1 || found[0].Session != fork.ID || found[0].Detail == "" {
		t.Errorf("events: %+v", found)
	}
}

// A message that was handed in has no id of a host, and its session no relatives.
func TestMessagesHandedInAreNoFork(t *testing.T) {
	l := open(t)
	for _, name := range []string{"a", "b"} {
		s := readIn(t, l, "mcp", name, 100, []sessions.NewEntry{{Kind: sessions.KindMessage, Time: time.Now(),
			Format: transcript.Anthropic, Original: []byte(`{"role":"user","content":"hello"}`)}})
		if s.Fork != nil || s.First != "" {
			t.Errorf("%+v", s)
		}
	}
}
