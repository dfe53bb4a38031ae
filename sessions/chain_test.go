package sessions_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

func TestAMessageIDNamesEverythingBeforeIt(t *testing.T) {
	id := func(originals ...string) (id string) {
		for _, o := range originals {
			id = sessions.MessageID(id, sessions.Digest([]byte(o)))
		}
		return id
	}
	if first, again := id("a", "b", "c"), id("a", "b", "c"); first != again {
		t.Error("the same conversation has two ids")
	}
	if id("a", "b") == id("x", "b") || id("a", "b") == id("b") || id("ab") == id("a", "b") {
		t.Error("a changed beginning goes unnoticed")
	}
	if len(id("a")) != 32 {
		t.Errorf("an id of %d digits", len(id("a")))
	}
}

func TestPlacesFindAMessageInEverySessionThatSharesIt(t *testing.T) {
	s := storetest.Open(t)
	a := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "a"), "1", "2")
	b := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "b"), "1", "2", "3")
	shared := a.Chain
	storetest.View(t, s, func(tx kv.Tx) error {
		all, err := sessions.Places(tx, shared, 10)
		if err != nil {
			return err
		}
		found := map[sessions.Place]bool{}
		for _, p := range all {
			found[p] = true
		}
		want := map[sessions.Place]bool{{Session: a.ID, Seq: 2, ID: shared}: true,
			{Session: b.ID, Seq: 2, ID: shared}: true}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Error(diff)
		}
		if one, _ := sessions.Places(tx, shared[:sessions.HandleDigits], 1); len(one) != 1 {
			t.Errorf("a handle of %d digits finds %d places, of at most 1", sessions.HandleDigits, len(one))
		}
		for _, bad := range []string{"", shared[:11], shared + "0", "ABCDEFABCDEF", "not hex digits"} {
			if none, err := sessions.Places(tx, bad, 10); err != nil || none != nil {
				t.Errorf("%q: %v, %v", bad, none, err)
			}
		}
		if p, found, err := sessions.PlaceIn(tx, b.ID, shared); err != nil || !found || p.Seq != 2 {
			t.Errorf("in b: %+v, %v, %v", p, found, err)
		}
		for _, bad := range []string{"", b.Chain[:12], shared + b.ID} {
			if _, found, err := sessions.PlaceIn(tx, b.ID, bad); err != nil || found {
				t.Errorf("%q is found: %v", bad, err)
			}
		}
		_, found2, err := sessions.PlaceIn(tx, a.ID, b.Chain)
		if found2 {
			t.Error("a message of b is found in a")
		}
		return err
	})
}

func TestAnAliasLeadsToTheMessageItself(t *testing.T) {
	s := storetest.Open(t)
	a := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "a"), "whole")
	alias := sessions.MessageID("", sessions.Digest([]byte("stub")))
	b := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "b"), "stub")
	storetest.Update(t, s, func(tx kv.Tx) error {
		if err := sessions.Alias(tx, a.Chain, a.Chain); err != nil { // no other wording: nothing to do
			return err
		}
		return sessions.Alias(tx, alias, a.Chain)
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, c := range []struct {
			session, id string
			want        []string
		}{
			{"", a.Chain, []string{a.Chain}},
			{"", alias, []string{b.Chain, a.Chain}}, // b has the wording of the view as its own
			{a.ID, alias, []string{a.Chain}},
			{b.ID, alias, []string{b.Chain}},
			{b.ID, a.Chain, nil},
			{"", sessions.MessageID("", "unknown"), nil},
		} {
			if got, err := sessions.Known(tx, c.session, c.id); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s in %q leads to %v, %v", c.id, c.session, got, err)
			}
		}
		return nil
	})
}

func TestADamagedIndexOfMessagesIsAnError(t *testing.T) {
	s := storetest.Open(t)
	a := receive(t, s, create(t, s, sessions.Session{Host: "h"}, "a"), "1")
	storetest.Update(t, s, func(tx kv.Tx) error { return tx.Put("messages", []byte(a.Chain+a.ID), []byte("short")) })
	storetest.View(t, s, func(tx kv.Tx) error {
		_, err := sessions.Places(tx, a.Chain, 1)
		wantCode(t, err, fault.Corrupt)
		_, _, err = sessions.PlaceIn(tx, a.ID, a.Chain)
		wantCode(t, err, fault.Corrupt)
		return nil
	})
}
