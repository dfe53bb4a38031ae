package changes_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

// record stores changes in order.
func record(t testing.TB, s kv.Store, all ...changes.Change) {
	t.Helper()
	storetest.Update(t, s, func(tx kv.Tx) error {
		for _, c := range all {
			if _, err := changes.Record(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestListFilters(t *testing.T) {
	s := storetest.Open(t)
	long := strings.Repeat("d/", 400) + "x.go"
	var all []changes.Change
	for i, path := range []string{"a/b", "a/bc", "a/b/c", "a", "A/b", "a/b", "/out/a/b", long} {
		session := "s1"
		if i%2 == 1 {
			session = "s2"
		}
		all = append(all, changes.Change{Session: session, Path: path, Op: changes.Modified, Time: noon})
	}
	record(t, s, append(all, changes.Change{Path: "external", Time: noon})...) // ids 1 to 9
	for _, test := range []struct {
		name  string
		f     changes.Filter
		limit int
		want  string
		total int
	}{
		{"all", changes.Filter{}, 100, "9 8 7 6 5 4 3 2 1", 9},
		{"newest two", changes.Filter{}, 2, "9 8", 9},
		{"none asked for", changes.Filter{}, 0, "", 9},
		{"session", changes.Filter{Session: "s1"}, 100, "7 5 3 1", 4},
		{"unknown session", changes.Filter{Session: "s"}, 100, "", 0},
		{"file and directory of that name", changes.Filter{Path: "a/b"}, 100, "6 3 1", 3},
		{"with a slash", changes.Filter{Path: "a/b/"}, 100, "6 3 1", 3},
		{"not by the beginning of a name", changes.Filter{Path: "a/bc"}, 100, "2", 1},
		{"directory", changes.Filter{Path: "a"}, 100, "6 4 3 2 1", 5},
		{"case counts", changes.Filter{Path: "A"}, 100, "5", 1},
		{"outside", changes.Filter{Path: "/out"}, 100, "7", 1},
		{"a path too long for an index", changes.Filter{Path: long}, 100, "8", 1},
		{"the workspace", changes.Filter{Path: "."}, 100, "9 8 7 6 5 4 3 2 1", 9},
		{"since", changes.Filter{Since: 6}, 100, "9 8 7", 3},
		{"since in a session", changes.Filter{Session: "s1", Since: 3}, 100, "7 5", 2},
		{"since the newest", changes.Filter{Since: 9}, 100, "", 0},
		{"since the future", changes.Filter{Since: 1 << 62}, 100, "", 0},
		{"since before the beginning", changes.Filter{Since: -1 << 63}, 1, "9", 9},
		{"everything at once", changes.Filter{Session: "s2", Path: "a", Since: 2}, 100, "6 4", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			storetest.Update(t, s, func(tx kv.Tx) error {
				list, total, err := changes.List(tx, test.f, test.limit)
				var ids []string
				for _, c := range list {
					ids = append(ids, fmt.Sprint(c.ID))
				}
				if got := strings.Join(ids, " "); got != test.want || total != test.total {
					t.Errorf("%s of %d, want %s of %d", got, total, test.want, test.total)
				}
				return err
			})
		})
	}
}

// A change that was imported later is listed where its time says, in lists of all and of a session, and page by page.
func TestNewestFirstIsByTime(t *testing.T) {
	s := storetest.Open(t)
	var all []changes.Change
	for _, hour := range []int{3, 1, 5, 2, 4} { // ids 1 to 5
		all = append(all, changes.Change{Session: "s", Path: "a", Time: noon.Add(time.Duration(hour) * time.Hour)})
	}
	record(t, s, append(all, changes.Change{Path: "b", Time: noon.Add(150 * time.Minute)})...)
	for name, c := range map[string]struct {
		f     changes.Filter
		limit int
		want  string
		total int
	}{
		"all":                    {changes.Filter{}, 9, "3 5 1 6 4 2", 6},
		"of a session":           {changes.Filter{Session: "s"}, 9, "3 5 1 4 2", 5},
		"a page":                 {changes.Filter{}, 2, "3 5", 6},
		"the next page":          {changes.Filter{Before: 5}, 2, "1 6", 2},
		"a session's page":       {changes.Filter{Session: "s", Before: 1}, 1, "4", 1},
		"before one to come":     {changes.Filter{Before: 99}, 1, "3", 1},
		"since a time":           {changes.Filter{From: noon.Add(3 * time.Hour)}, 9, "3 5 1", 3},
		"in a session":           {changes.Filter{Session: "s", From: noon.Add(4 * time.Hour)}, 9, "3 5", 2},
		"since a time and an id": {changes.Filter{From: noon.Add(2 * time.Hour), Since: 3}, 9, "5 6 4", 3},
		"since tomorrow":         {changes.Filter{From: noon.Add(24 * time.Hour)}, 9, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Update(t, s, func(tx kv.Tx) error {
				list, total, err := changes.List(tx, c.f, c.limit)
				var ids []string
				for _, c := range list {
					ids = append(ids, fmt.Sprint(c.ID))
				}
				if got := strings.Join(ids, " "); got != c.want || total != c.total {
					t.Errorf("%s of %d, want %s of %d", got, total, c.want, c.total)
				}
				return err
			})
		})
	}
}

func TestAnAbsolutePathFindsAFileOfAnotherTree(t *testing.T) {
	s := storetest.Open(t)
	record(t, s, changes.Change{Path: "a/b", Tree: "/fix"}, changes.Change{Path: "a/b"},
		changes.Change{Path: "/fix/a/b", Outside: true}, changes.Change{Path: "/etc/b", Tree: "/fix", Outside: true})
	storetest.Update(t, s, func(tx kv.Tx) error {
		for path, want := range map[string]int{"/fix/a": 2, "a": 2, "/etc/b": 1, "/fi": 0} {
			if list, _, err := changes.List(tx, changes.Filter{Path: path}, 9); len(list) != want || err != nil {
				t.Errorf("%s: %+v, %v; want %d", path, list, err, want)
			}
		}
		return nil
	})
}

func TestNewestIsOfExactlyThisPath(t *testing.T) {
	s := storetest.Open(t)
	record(t, s, changes.Change{Path: "a", Op: changes.Created}, changes.Change{Path: "a", Op: changes.Deleted},
		changes.Change{Path: "a/b", Op: changes.Created}, changes.Change{Path: "ab", Op: changes.Created})
	storetest.Update(t, s, func(tx kv.Tx) error {
		c, err := changes.Newest(tx, "a", "")
		if err != nil || c == nil || c.ID != 2 || c.Op != changes.Deleted {
			t.Errorf("%+v, %v", c, err)
		}
		if c, err := changes.Newest(tx, "b", ""); c != nil || err != nil {
			t.Errorf("an unknown path: %+v, %v", c, err)
		}
		return nil
	})
}

func TestInvariant1ChangesComeBackAsTheyWere(t *testing.T) {
	s := storetest.Open(t)
	want := changes.Change{
		Session: "s", Seq: 2, Turn: 3, Agent: "a", Intent: "i", Path: "/x/ü\u2028", Outside: true, Op: changes.Created,
		Source: changes.Inferred, Time: noon.Add(1), HashFrom: "f", HashTo: "t",
	}
	record(t, s, want)
	want.ID = 1
	key := []byte{0, 0, 0, 0, 0, 0, 0, 1}
	storetest.Update(t, s, func(tx kv.Tx) error {
		list, _, err := changes.List(tx, changes.Filter{}, 1)
		if diff := cmp.Diff([]changes.Change{want}, list); diff != "" {
			t.Error(diff)
		}
		raw, getErr := tx.Get("changes", key)
		if getErr != nil || !json.Valid(raw) {
			t.Fatalf("the store has another layout than this test knows: %v", getErr)
		}
		for i := range raw {
			sealed := kv.Seal("changes", key, raw)
			sealed[kv.EnvelopeSize+i] ^= 1
			if v, err := kv.Unseal("changes", key, sealed); !fault.Is(err, fault.Corrupt) {
				t.Fatalf("byte %d flipped: %q, %v", i, v, err)
			}
		}
		return err
	})
	for _, damage := range []func(kv.Tx) error{
		func(tx kv.Tx) error { return tx.Put("changes", key, []byte("{")) },
		func(tx kv.Tx) error { return tx.Delete("changes", key) },
	} {
		storetest.Update(t, s, damage)
		storetest.Update(t, s, func(tx kv.Tx) error {
			if _, err := changes.Newest(tx, want.Path, ""); !fault.Is(err, fault.Corrupt) {
				t.Errorf("the newest: %v", err)
			}
			if _, _, err := changes.List(tx, changes.Filter{Session: "s"}, 1); !fault.Is(err, fault.Corrupt) {
				t.Errorf("of the session: %v", err)
			}
			return nil
		})
	}
}
