package sessions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

func TestCallsAreFoundByAnyID(t *testing.T) {
	s := storetest.Open(t)
	session := create(t, s, sessions.Session{Host: "h"}, "a")
	ids := []string{"toolu_1", "", strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 9000),
		"a\x00b"}
	storetest.Update(t, s, func(tx kv.Tx) error {
		held := session
		for _, id := range ids {
			e := sessions.Entry{Kind: sessions.KindMessage,
				Calls: []sessions.Call{{ID: "other"}, {ID: id, Name: "of " + id}}}
			if _, err := sessions.Append(tx, &held, e, nil); err != nil {
				return err
			}
		}
		return nil
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		for i, id := range ids {
			c, e, err := sessions.CallOf(tx, session.ID, id)
			if err != nil || c == nil || c.Name != "of "+id || e.Seq != int64(i+1) {
				t.Errorf("%.20q: %+v in entry %d, %v", id, c, e.Seq, err)
			}
		}
		if c, _, err := sessions.CallOf(tx, session.ID, "unknown"); c != nil || err != nil {
			t.Errorf("an unknown call: %+v, %v", c, err)
		}
		return nil
	})
}

func TestReadsOfOneFileAreAllFound(t *testing.T) {
	s := storetest.Open(t)
	long := strings.Repeat("d/", 300) + "a.go"
	storetest.Update(t, s, func(tx kv.Tx) error {
		for _, r := range []struct {
			path, session string
			seq           int64
			call          string
		}{{"a.go", "s1", 2, "c2"}, {"a.go", "s1", 1, "c1"}, {"a.go", "s1", 1, "c0"}, {"a.go", "s2", 1, "c3"},
			{"a.goo", "s1", 1, "x"}, {long, "s1", 1, "x"}} {
			if err := sessions.IndexRead(tx, r.path, r.session, r.seq, r.call); err != nil {
				return err
			}
		}
		return nil
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := sessions.ReadsOf(tx, "a.go")
		want := []sessions.Read{{Session: "s1", Seq: 1, CallID: "c0"}, {Session: "s1", Seq: 1, CallID: "c1"},
			{Session: "s1", Seq: 2, CallID: "c2"}, {Session: "s2", Seq: 1, CallID: "c3"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
}
