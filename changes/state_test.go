package changes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
)

var noon = time.Date(2026, 5, 27, 12, 0, 0, 0, time.UTC)

func TestDiff(t *testing.T) {
	file := func(size int64, minutes int, hash string) State {
		return State{Path: "a", Exists: true, Size: size, Modified: noon.Add(time.Duration(minutes) * time.Minute),
			Hash: hash}
	}
	absent := State{Path: "a"}
	for _, test := range []struct {
		name    string
		was, is State
		want    Op
	}{
		{"never there", absent, absent, ""},
		{"created", absent, file(1, 0, "x"), Created},
		{"deleted", file(1, 0, "x"), absent, Deleted},
		{"other bytes, same size and time", file(1, 0, "x"), file(1, 0, "y"), Modified},
		{"touched", file(1, 0, "x"), file(1, 5, "x"), ""},
		{"unhashed, the same", file(1, 0, ""), file(1, 0, "y"), ""},
		{"unhashed, another size", file(1, 0, ""), file(2, 0, "y"), Modified},
		{"unhashed, another time", file(1, 0, "x"), file(1, 5, ""), Modified},
	} {
		if got := Diff(test.was, test.is); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestInvariant1StatesComeBackAsTheyWere(t *testing.T) {
	s := storetest.Open(t)
	want := State{Path: "d/a.go", Exists: true, Size: 3, Modified: noon, Hash: strings.Repeat("a", 64), Large: true,
		Since: noon.Add(time.Hour)}
	storetest.Update(t, s, func(tx kv.Tx) error {
		if err := Touch(tx, want.Tree, want.Path); err != nil {
			return err
		}
		return SaveState(tx, want)
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		got, known, err := StateOf(tx, want.Tree, want.Path)
		if diff := cmp.Diff(want, got); diff != "" || !known {
			t.Error(diff, known)
		}
		if paths, _, err := Touched(tx, "", 0, 9); err != nil || !slices.Equal(paths, []string{want.Path}) {
			t.Errorf("saving a state lost the touch: %v, %v", paths, err)
		}
		return err
	})
	raw, err := json.Marshal(stored{State: &want})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Update(t, s, func(tx kv.Tx) error { return tx.Put(bucketStates, []byte(want.Path), raw[:len(raw)/2]) })
	storetest.View(t, s, func(tx kv.Tx) error {
		if _, _, err := StateOf(tx, want.Tree, want.Path); !fault.Is(err, fault.Corrupt) {
			t.Errorf("half a record: %v", err)
		}
		return nil
	})
}

func TestTouchesAreListedNewestFirstAndBounded(t *testing.T) {
	s := storetest.Open(t)
	list := func(after int64, limit int) (paths []string, last int64) {
		storetest.View(t, s, func(tx kv.Tx) (err error) {
			paths, last, err = Touched(tx, "", after, limit)
			return err
		})
		return paths, last
	}
	touch := func(paths ...string) {
		storetest.Update(t, s, func(tx kv.Tx) error {
			for _, p := range paths {
				if err := Touch(tx, "", p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	touch("a", "b", "a", "", strings.Repeat("x", MaxPath+1), "c", "c")
	got, last := list(0, 9)
	if !slices.Equal(got, []string{"c", "a", "b"}) || last != 5 {
		t.Errorf("%v, the last is %d", got, last)
	}
	if got, _ := list(0, 2); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("the first two: %v", got)
	}
	if got, _ := list(3, 9); !slices.Equal(got, []string{"c"}) {
		t.Errorf("after the third: %v", got)
	}
	var many []string
	for i := range maxTouched + 10 {
		many = append(many, fmt.Sprint("p", i))
	}
	touch(many...)
	if got, _ := list(0, 2*maxTouched); len(got) != maxTouched || got[0] != many[len(many)-1] {
		t.Errorf("%d touches are kept, the newest is of %s", len(got), got[0])
	}
}

func TestChangesAreReplacedAndWithdrawn(t *testing.T) {
	s := storetest.Open(t)
	record := func(c Change) Change {
		storetest.Update(t, s, func(tx kv.Tx) (err error) {
			c, err = Record(tx, c)
			return err
		})
		return c
	}
	one := record(Change{Path: "a", Op: Modified, Source: Transcript, Session: "s", Time: noon})
	two := record(Change{Path: "a", Op: Modified, Source: Observed, Time: noon.Add(time.Second)})
	if !one.Claim() || two.Claim() {
		t.Error("an observed change is no claim, a reported one is")
	}
	moved := two
	moved.Session, moved.Time = "s", noon.Add(time.Minute)
	storetest.Update(t, s, func(tx kv.Tx) error { return Update(tx, moved) })
	storetest.View(t, s, func(tx kv.Tx) error {
		for _, x := range []struct {
			from, to time.Time
			want     int
		}{{noon, noon.Add(time.Second), 0}, {noon, noon.Add(time.Minute), 1},
			{noon.Add(time.Minute), noon.Add(time.Minute), 1}, {noon.Add(time.Minute + 1), noon.Add(time.Hour), 0}} {
			if got, err := ObservedBetween(tx, x.from, x.to, 9); err != nil || len(got) != x.want {
				t.Errorf("observed from %s to %s: %+v, %v", x.from, x.to, got, err)
			}
		}
		_, total, err := List(tx, Filter{Session: "s"}, 9)
		if total != 2 {
			t.Errorf("%d changes of the session", total)
		}
		return err
	})
	storetest.Update(t, s, func(tx kv.Tx) error { return Withdraw(tx, moved) })
	if next := record(Change{Path: "b", Op: Created, Source: Transcript}); next.ID != 3 {
		t.Errorf("the number %d after the second was withdrawn", next.ID)
	}
	storetest.View(t, s, func(tx kv.Tx) error {
		list, err := OfPath(tx, "a", 9)
		if len(list) != 1 || list[0].ID != one.ID {
			t.Errorf("changes of a: %+v", list)
		}
		if err := Update(tx, moved); !fault.Is(err, fault.Corrupt) {
			t.Errorf("replacing a withdrawn change: %v", err)
		}
		return err
	})
}
