package memory_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
)

func TestInvariant1RoundTripOfMemories(t *testing.T) {
	s := storetest.Open(t)
	e := entry(" Größe: [x] ", " d\u200d ", "line\n\t\"two\"\r\n\x00 <b> & \u2028")
	e.Created = time.Date(2026, 5, 27, 14, 0, 0, 987654321, time.FixedZone("CEST", 7200))
	e.Score = 5
	saved, err := save(t, s, e, false)
	if err != nil || saved.Name != "Größe: [x]" || saved.Score != 0 {
		t.Fatalf("got %+v, %v", saved, err)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		got, err := memory.Get(tx, memory.Project, "größe: [X]")
		if !reflect.DeepEqual(got, saved) {
			t.Errorf("got  %+v\nwant %+v", got, saved)
		}
		return err
	})
}

func TestSavingANameAgainKeepsItsGUIDAndItsHistory(t *testing.T) {
	s := storetest.Open(t)
	first, _ := save(t, s, entry("Test_Runner", "d", "one"), false)
	e := entry("test_runner", "d", "two")
	e.GUID, e.Created = strings.Repeat("0", 32), noon.Add(time.Hour)
	second, err := save(t, s, e, false)
	if err != nil || second.GUID != first.GUID || !second.Created.Equal(noon) || second.Name != "test_runner" ||
		second.Body != "two" {
		t.Errorf("got %+v, %v", second, err)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		if n, err := memory.Count(tx, memory.Project); n != 1 || err != nil {
			t.Errorf("%d memories, %v", n, err)
		}
		h, err := memory.History(tx, first.GUID)
		if !reflect.DeepEqual(h, []memory.Entry{first}) {
			t.Errorf("history %+v", h)
		}
		return err
	})
}

func TestHistoryKeepsTheLastTwentyVersions(t *testing.T) {
	s := storetest.Open(t)
	var all []memory.Entry
	for i := range 25 {
		all = append(all, entry("n", "d", fmt.Sprint(i)))
	}
	saveAll(t, s, all...)
	storetest.View(t, s, func(tx kv.Tx) error {
		h, err := memory.History(tx, all[0].GUID)
		if len(h) != 20 || h[0].Body != "23" || h[19].Body != "4" {
			t.Errorf("%d versions", len(h))
		}
		return err
	})
}

func TestAnotherAuthorsFactIsAConflict(t *testing.T) {
	s := storetest.Open(t)
	saveAll(t, s, entry("fact", "d", "theirs"))
	e := entry("FACT", "d", "mine")
	e.Source = "user"
	_, err := save(t, s, e, false)
	wantFault(t, err, fault.Conflict, `memory "fact" was written by agent:a`, "overwrite")
	got, err := save(t, s, e, true)
	if err != nil || got.Body != "mine" || got.Source != "user" {
		t.Errorf("got %+v, %v", got, err)
	}
	e.Scope, e.Source = memory.User, "agent:b" // the other scope is another fact
	if _, err := save(t, s, e, false); err != nil {
		t.Error(err)
	}
}

func TestNamesAreEqualInEveryCaseAndForm(t *testing.T) {
	s := storetest.Open(t)
	saveAll(t, s, entry("Kelvin ΣΊΣΥΦΟΣ Straße", "", ""))
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, name := range []string{"kelvin σίσυφος straße", "\u212aELVIN σίσυφοσ STRAẞE",
			"ＫＥＬＶＩＮ ΣΙ\u0301ΣΥΦΟΣ STRASSE",
			"  Kelvin ΣΊΣΥΦΟΣ Straße "} {
			if _, err := memory.Get(tx, memory.Project, name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		return nil
	})
}

// change applies a change to a memory of scope project.
func change(t *testing.T, s kv.Store, do func(tx kv.Tx) (memory.Entry, error)) (e memory.Entry, err error) {
	t.Helper()
	err = s.Update(t.Context(), func(tx kv.Tx) (err error) {
		e, err = do(tx)
		return err
	})
	return e, err
}

// at is a later time.
var at = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func remove(name string) func(kv.Tx) (memory.Entry, error) {
	return func(tx kv.Tx) (memory.Entry, error) { return memory.Delete(tx, memory.Project, name, at) }
}

func restore(name string) func(kv.Tx) (memory.Entry, error) {
	return func(tx kv.Tx) (memory.Entry, error) { return memory.Restore(tx, memory.Project, name, at) }
}

func purge(name string) func(kv.Tx) (memory.Entry, error) {
	return func(tx kv.Tx) (memory.Entry, error) { return memory.Forget(tx, memory.Project, name) }
}

func TestADeletedMemoryComesBack(t *testing.T) {
	s := storetest.Open(t)
	saveAll(t, s, entry("Port", "d", "v1"), entry("Port", "d", "v2"), entry("Other", "", "x"))
	if got, err := change(t, s, remove("pORT")); err != nil || got.Body != "v2" || got.Deleted != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		_, err := memory.Get(tx, memory.Project, "Port")
		wantFault(t, err, fault.NotFound, `memory "Port" in scope project was deleted on 2026-11-23`)
		list, _, err := memory.List(tx, memory.Project, "", 1)
		if err != nil || len(list) != 1 || list[0].Name != "Other" {
			t.Errorf("the list is %+v, %v", list, err)
		}
		n, err := memory.Count(tx, memory.Project)
		found, err2 := memory.Recall(tx, memory.Project, "port", 0)
		if n != 1 || len(found) != 0 || err2 != nil {
			t.Errorf("%d counted, %d found, %v", n, len(found), err2)
		}
		return err
	})
	if _, err := change(t, s, remove("Port")); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	for _, want := range []string{"v2", "v1", "v2"} { // undone, and the change before; then that is undone
		if got, err := change(t, s, restore("Port")); err != nil || got.Body != want || got.Deleted != nil {
			t.Errorf("%+v, %v; want %s", got, err, want)
		}
	}
	if _, err := change(t, s, restore("Other")); !fault.Is(err, fault.NotFound) {
		t.Errorf("without an earlier version: %v", err)
	}
	if _, err := change(t, s, restore("Nothing")); !fault.Is(err, fault.NotFound) {
		t.Errorf("without a memory: %v", err)
	}
}

func TestWhoSavesADeletedNameGoesOnFromIt(t *testing.T) {
	s := storetest.Open(t)
	old := entry("Port", "d", "v1")
	saveAll(t, s, old)
	if _, err := change(t, s, remove("Port")); err != nil {
		t.Fatal(err)
	}
	e := entry("Port", "d", "v2")
	e.Source, e.GUID = "agent:another", strings.Repeat("b", 32)
	if got, err := save(t, s, e, false); err != nil || got.Source != e.Source || got.GUID != old.GUID {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := change(t, s, restore("Port")); err != nil || got.Body != "v1" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestForgettingLeavesNothing(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		s := storetest.Open(t)
		e := entry("Secret", "d", "v1")
		saveAll(t, s, e, entry("Secret", "d", "v2"))
		if deleted {
			if _, err := change(t, s, remove("Secret")); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := change(t, s, purge("sECRET")); err != nil || got.Body != "v2" {
			t.Errorf("got %+v, %v", got, err)
		}
		storetest.View(t, s, func(tx kv.Tx) error {
			_, err := memory.Get(tx, memory.Project, "Secret")
			wantFault(t, err, fault.NotFound, `no memory "Secret" in scope project`)
			h, err := memory.History(tx, e.GUID)
			if len(h) != 0 {
				t.Errorf("history %+v", h)
			}
			return err
		})
		if _, err := change(t, s, restore("Secret")); !fault.Is(err, fault.NotFound) {
			t.Errorf("restored: %v", err)
		}
	}
	_, err := change(t, storetest.Open(t), remove(strings.Repeat("n", 10_000)))
	wantFault(t, err, fault.NotFound)
	if len(err.Error()) > 1200 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

// Agents work on the same facts; what a person wrote is the person's.
func TestWhoMayChangeAMemory(t *testing.T) {
	for _, tt := range []struct {
		author, editor string
		allowed        bool
	}{
		{"agent:a", "agent:a", true}, {"agent:a", "agent:b", true}, {"user", "user", true},
		{"user", "agent:a", false}, {"agent:a", "user", false}, {"import:x", "agent:a", false}, {"", "agent:a", false},
	} {
		s := storetest.Open(t)
		old := entry("Port", "d", "v1")
		old.Source = tt.author
		saveAll(t, s, old)
		e := entry("Port", "d", "v2")
		e.Source = tt.editor
		got, err := save(t, s, e, false)
		if tt.allowed != (err == nil) || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("%q changes what %q wrote: %v", tt.editor, tt.author, err)
		}
		if tt.allowed && (got.Source != tt.author || tt.author != tt.editor && got.Updater != tt.editor) {
			t.Errorf("%q of %q: %+v", tt.editor, tt.author, got)
		}
	}
}

func TestSaveRefusesWhatBreaksARule(t *testing.T) {
	s := storetest.Open(t)
	cases := []struct {
		name   string
		change func(*memory.Entry)
		code   fault.Code
		has    string
	}{
		{"no name", func(e *memory.Entry) { e.Name = " \t" }, fault.Invalid, "a name of 1 to 100"},
		{"long name", func(e *memory.Entry) { e.Name = strings.Repeat("é", 101) }, fault.Invalid, "has 101 characters"},
		{"control character in the name", func(e *memory.Entry) { e.Name = "a\nb" }, fault.Invalid, "one line"},
		{"line separator in the name", func(e *memory.Entry) { e.Name = "a\u2028b" }, fault.Invalid, "one line"},
		{"name that is not UTF-8", func(e *memory.Entry) { e.Name = "a\xff" }, fault.Invalid, "plain text"},
		{"long description", func(e *memory.Entry) {
			e.Description = strings.Repeat("x", 301)
		}, fault.Invalid, "limit of 300"},
		{"description of two lines", func(e *memory.Entry) { e.Description = "a\nb" }, fault.Invalid, "one line"},
		{"long body", func(e *memory.Entry) { e.Body = strings.Repeat("x", 4097) }, fault.TooLarge, "limit of 4096"},
		{"body that is not UTF-8", func(e *memory.Entry) { e.Body = "\xff" }, fault.Invalid, "UTF-8"},
		{"unknown scope", func(e *memory.Entry) { e.Scope = "team" }, fault.Invalid, "project or user"},
		{"type with a line end", func(e *memory.Entry) { e.Type = "a\rb" }, fault.Invalid, "type"},
		{"a guid that is none", func(e *memory.Entry) { e.GUID = "12" }, fault.Invalid, "guid"},
		{"long author", func(e *memory.Entry) { e.Updater = strings.Repeat("x", 301) }, fault.Invalid, "updated_by"},
		{"guid in upper case", func(e *memory.Entry) { e.GUID = strings.Repeat("A", 32) }, fault.Invalid, "guid"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := entry("n", "d", "b")
			c.change(&e)
			_, err := save(t, s, e, true)
			wantFault(t, err, c.code, c.has)
		})
	}
	e := entry(strings.Repeat("𝔸", 100), strings.Repeat("é", 300), strings.Repeat("x", 4096))
	e.Type, e.Scope = "", ""
	if got, err := save(t, s, e, false); err != nil || got.Type != "project" || got.Scope != memory.Project {
		t.Errorf("at the limits: %+v, %v", got, err)
	}
}

func TestListPagesByNameWithinItsScope(t *testing.T) {
	s := storetest.Open(t)
	var all []memory.Entry
	for _, n := range []string{"b", "A", "c", "D", "aa"} {
		all = append(all, entry(n, "", ""))
	}
	other := entry("b", "", "")
	other.Scope = memory.User
	saveAll(t, s, append(all, other)...)
	storetest.View(t, s, func(tx kv.Tx) error {
		var pages []string
		for after := ""; ; {
			list, next, err := memory.List(tx, memory.Project, after, 2)
			if err != nil {
				return err
			}
			pages = append(pages, names(list))
			if after = next; next == "" {
				break
			}
		}
		if got := strings.Join(pages, "|"); got != "A,aa|b,c|D" {
			t.Errorf("got %s", got)
		}
		list, next, err := memory.List(tx, memory.User, "", 0)
		if names(list) != "b" || next != "" {
			t.Errorf("got %s, next %q", names(list), next)
		}
		// A cursor whose memory was deleted in between still works, and so does any text.
		list, _, _ = memory.List(tx, memory.Project, "ab", 1)
		if names(list) != "b" {
			t.Errorf("got %s", names(list))
		}
		return err
	})
}

func TestSavingAgainWithoutATypeKeepsIt(t *testing.T) {
	s := storetest.Open(t)
	for _, typ := range []string{"user", ""} {
		e := entry("tone", "how to write", "short")
		e.Type = typ
		if got, err := save(t, s, e, false); err != nil || got.Type != "user" {
			t.Errorf("saved with type %q: %q, %v", typ, got.Type, err)
		}
	}
}
