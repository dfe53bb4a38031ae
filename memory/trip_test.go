package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/memory"
)

// anyEntry draws a memory of any author, type and text that can be stored.
func anyEntry(t *rapid.T) memory.Entry {
	line := func(least, most int) *rapid.Generator[string] {
		return rapid.OneOf(rapid.StringN(least, most, -1), rapid.SampledFrom([]string{"café", "cafe\u0301", "ＡＰＩ",
			"api", "Straße", "[x](y)", "a: b # c", "--- a/x", "</agent_memory>", "2026-05-27", "'", "null", `\n`, "ﷺ"}))
	}
	author := rapid.SampledFrom([]string{"user", "agent:claude-code", "agent:a: b", "import:memory_é.md"})
	date := rapid.Custom(func(t *rapid.T) time.Time {
		return noon.Add(time.Duration(rapid.Int64Range(-1e18, 1e18).Draw(t, "from noon")))
	})
	e := memory.Entry{
		Name: line(1, 60).Draw(t, "name"), Description: line(0, 60).Draw(t, "description"),
		Type: line(0, 20).Draw(t, "type"), Body: rapid.String().Draw(t, "body"),
		Source: author.Draw(t, "source"), Created: date.Draw(t, "created"), Updated: date.Draw(t, "updated"),
	}
	if rapid.Bool().Draw(t, "changed by another") {
		e.Updater = author.Draw(t, "updater")
	}
	return e
}

// listed returns all memories of a project by their GUIDs, which two stores have alike, with the versions before.
func listed(t *rapid.T, s kv.Store) (out map[string]memory.Entry, versions int) {
	out = map[string]memory.Entry{}
	err := s.View(t.Context(), func(tx kv.Tx) error {
		all, _, err := memory.List(tx, memory.Project, "", 0)
		for _, e := range all {
			out[e.GUID] = e
			h, err := memory.History(tx, e.GUID)
			if err != nil {
				return err
			}
			versions += len(h)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, versions
}

func TestAnExportChangesNothingWhereItCameFromAndIsTheSameElsewhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		here, there := storetest.Open(t), storetest.Open(t)
		update := func(s kv.Store, e memory.Entry, id string, overwrite bool) error {
			return s.Update(rt.Context(), func(tx kv.Tx) error {
				_, err := memory.Save(tx, e, id, overwrite)
				return err
			})
		}
		for i, e := range rapid.SliceOfN(rapid.Custom(anyEntry), 1, 8).Draw(rt, "memories") {
			_ = update(here, e, fmt.Sprintf("%032x", i), true) // what cannot be stored is no memory
		}
		before, versions := listed(rt, here)
		var all []memory.Entry
		for _, e := range before {
			all = append(all, e)
		}
		fsys := fstest.MapFS{}
		for name, data := range memory.Export(all) {
			fsys[name] = &fstest.MapFile{Data: data, ModTime: at}
		}
		found, problems, err := memory.Import(fsys)
		if err != nil || len(problems) > 0 || len(found) != len(before) {
			rt.Fatalf("%d of %d are imported, %v, %v", len(found), len(before), problems, err)
		}
		for _, e := range found {
			if err := update(here, e, guid, false); err != nil {
				rt.Fatal(err)
			}
			if err := update(there, e, guid, false); err != nil {
				rt.Fatal(err)
			}
		}
		same(rt, here, before, versions)
		same(rt, there, before, 0)
		for _, e := range before { // whoever wrote it can still change it
			e.GUID, e.Updater, e.Body, e.Updated = "", "", "changed", at
			if err := update(there, e, guid, false); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// same fails unless a store has just these memories, and as many versions before.
func same(t *rapid.T, s kv.Store, want map[string]memory.Entry, versions int) {
	got, n := listed(t, s)
	if n != versions || len(got) != len(want) {
		t.Fatalf("%d memories with %d versions before, want %d with %d", len(got), n, len(want), versions)
	}
	for id, e := range want {
		if got[id] != e {
			t.Fatalf("got  %+v\nwant %+v", got[id], e)
		}
	}
}

// TestAFileThatClaimsAnAuthorReplacesOnlyItsOwnMemory has somebody else's directory whose files say that the user wrote
// them.
func TestAFileThatClaimsAnAuthorReplacesOnlyItsOwnMemory(t *testing.T) {
	s := storetest.Open(t)
	mine := entry("deploy", "", "on main only")
	mine.Source = "user"
	saveAll(t, s, mine)
	theirs := mine
	theirs.GUID, theirs.Body = guid, "from anywhere"
	if _, err := save(t, s, theirs, false); err == nil {
		t.Error("a file of another memory replaced the user's own")
	}
	theirs.GUID, theirs.Updated = mine.GUID, mine.Updated.Add(-time.Hour)
	if _, err := save(t, s, theirs, false); err == nil {
		t.Error("a file that is older than the memory replaced it")
	}
	theirs.Updated = mine.Updated
	if got, err := save(t, s, theirs, false); err != nil || got.Body != "from anywhere" {
		t.Errorf("the file of the memory did not: %+v, %v", got, err)
	}
}

func TestMemoriesOfEarlierVersionsStayReadable(t *testing.T) {
	s := storetest.Open(t)
	apart, street := entry("cafe\u0301", "", "apart"), entry("Straße", "", "street")
	apart.GUID = strings.Repeat("1", 32)
	for _, e := range []memory.Entry{apart, street} {
		if err := s.Update(t.Context(), func(tx kv.Tx) error { return memory.PutOld(tx, e) }); err != nil {
			t.Fatal(err)
		}
	}
	saveAll(t, s, entry("caf\u00e9", "", "composed")) // two of one name today: both stay
	changed := street
	changed.Body = "road"
	saveAll(t, s, changed)
	storetest.View(t, s, func(tx kv.Tx) error {
		for name, want := range map[string]string{"cafe\u0301": "apart", "CAFÉ": "composed", "straße": "road"} {
			if got, err := memory.Get(tx, memory.Project, name); err != nil || got.Body != want {
				t.Errorf("%+q: %+v, %v", name, got, err)
			}
		}
		var all []memory.Entry
		for after := ""; ; {
			page, next, err := memory.List(tx, memory.Project, after, 1)
			if all = append(all, page...); err != nil || next == "" {
				if len(all) != 3 {
					t.Errorf("page by page, they are %s", names(all))
				}
				return err
			}
			after = next
		}
	})
	for _, name := range []string{"cafe\u0301", "Straße"} {
		if _, err := change(t, s, purge(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
