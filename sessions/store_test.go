package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

func TestCreateNamesTheSameConversationTheSame(t *testing.T) {
	one := create(t, storetest.Open(t), sessions.Session{Host: "claude-code", HostID: "x"}, "seed 1")
	two := create(t, storetest.Open(t), sessions.Session{Host: "claude-code", HostID: "x"}, "seed 2")
	if one.ID != two.ID || len(one.ID) != 8 {
		t.Errorf("ids %s and %s", one.ID, two.ID)
	}
	if other := create(t, storetest.Open(t), sessions.Session{Host: "codex", HostID: "x"}, ""); other.ID == one.ID {
		t.Error("two hosts share an id")
	}
}

func TestCreateMakesALongerIDOnAClash(t *testing.T) {
	s := storetest.Open(t)
	seen := map[string]bool{}
	for n := 8; n <= 64; n += 4 {
		got := create(t, s, sessions.Session{Host: "h"}, "seed")
		if len(got.ID) != n || seen[got.ID] {
			t.Fatalf("id %s, want a new one of %d digits", got.ID, n)
		}
		seen[got.ID] = true
	}
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		_, err := sessions.Create(tx, sessions.Session{Host: "h"}, "seed")
		return err
	})
	wantCode(t, err, fault.Conflict)
}

func TestFind(t *testing.T) {
	s := storetest.Open(t)
	host := create(t, s, sessions.Session{Host: "h", HostID: "d0c5-uuid"}, "")
	short := create(t, s, sessions.Session{Host: "h"}, "clash")
	long := create(t, s, sessions.Session{Host: "h"}, "clash") // starts with the id of short
	twin := create(t, s, sessions.Session{Host: "other", HostID: "d0c5-uuid"}, "")
	for _, test := range []struct {
		name, want string
		code       fault.Code
	}{
		{host.ID, host.ID, ""},
		{host.ID[:4], host.ID, ""},
		{strings.ToUpper(host.ID), host.ID, ""},
		{short.ID, short.ID, ""}, // a whole id wins over a longer one
		{long.ID, long.ID, ""},
		{short.ID[:5], "", fault.Conflict},
		{"d0c5-uuid", "", fault.Conflict}, // of two hosts
		{host.ID[:3], "", fault.NotFound}, // too short to name one
		{"", "", fault.NotFound},
		{"ffffffff", "", fault.NotFound},
		{strings.Repeat("f", 100_000), "", fault.NotFound},
	} {
		storetest.View(t, s, func(tx kv.Tx) error {
			got, err := sessions.Find(tx, test.name)
			if got.ID != test.want || fault.CodeOf(err) != test.code {
				t.Errorf("%.40q: %q, %v", test.name, got.ID, err)
			}
			if err != nil && len(err.Error()) > 1200 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return nil
		})
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		got, found, err := sessions.OfHost(tx, "other", "d0c5-uuid")
		if !found || got.ID != twin.ID {
			t.Errorf("of the host: %+v, %v", got, found)
		}
		_, found, err2 := sessions.OfHost(tx, "other", "unknown")
		if found || err2 != nil {
			t.Errorf("an unknown one: %v, %v", found, err2)
		}
		return err
	})
}

func TestAmbiguousListsAFew(t *testing.T) {
	var many []sessions.Session
	for i := range 20 {
		many = append(many, sessions.Session{ID: fmt.Sprintf("%08d", i)})
	}
	err := sessions.Ambiguous("several", many)
	wantCode(t, err, fault.Conflict)
	if text := err.Error(); !strings.Contains(text, "00000007, …") || strings.Contains(text, "00000008") ||
		fault.HintOf(err) == "" {
		t.Errorf("%q, hint %q", text, fault.HintOf(err))
	}
}

func TestListIsNewestFirst(t *testing.T) {
	s := storetest.Open(t)
	var want []string
	for i := range 5 {
		session := create(t, s, sessions.Session{Host: "h", Updated: noon.Add(time.Duration(-i) * time.Hour)},
			fmt.Sprint(i))
		want = append(want, session.ID)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		all, err := sessions.List(tx)
		var got []string
		for _, session := range all {
			got = append(got, session.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
}

func TestInvariant1SessionsComeBackAsTheyWere(t *testing.T) {
	s := storetest.Open(t)
	want := create(t, s, sessions.Session{
		Host: "h", HostID: "i", Parent: "p", Title: "t\u2028", Model: "m", Dir: "/d", Tree: "/t", Created: noon,
		Updated: noon, Seq: 7, Turns: 3,
		Chain: sessions.MessageID("", "x"), Pending: true, Usage: sessions.Usage{Input: 1, Output: 2, CacheRead: 3,
			CacheWrite: 4},
	}, "")
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := sessions.Get(tx, want.ID)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
	storetest.Update(t, s, func(tx kv.Tx) error { return tx.Put("sessions", []byte(want.ID), []byte(`{"id":`)) })
	storetest.View(t, s, func(tx kv.Tx) error {
		_, err := sessions.Get(tx, want.ID)
		wantCode(t, err, fault.Corrupt)
		_, err = sessions.List(tx)
		wantCode(t, err, fault.Corrupt)
		return nil
	})
}

func TestAppendKeepsTheSessionUpToDate(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "a")
	storetest.Update(t, s, func(tx kv.Tx) error {
		held := session
		for i, at := range []time.Time{noon, noon.Add(time.Hour), noon.Add(-time.Hour)} {
			e, err := sessions.Append(tx, &held, sessions.Entry{Kind: sessions.KindNote, Time: at}, nil)
			if err != nil {
				return err
			}
			if e.Seq != int64(i+1) {
				t.Errorf("entry %d has number %d", i+1, e.Seq)
			}
		}
		if held.Seq != 3 || !held.Created.Equal(noon.Add(-time.Hour)) || !held.Updated.Equal(noon.Add(time.Hour)) {
			t.Errorf("%+v", held)
		}
		return nil
	})
}
