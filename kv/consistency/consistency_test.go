package consistency_test

import (
	"context"
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// fruit checks a bucket of things, whose values are colours, and an index by colour.
func fruit(a *consistency.Check) error {
	err := a.Each("fruit", "fruit", func(r kv.Record) error {
		if len(r.Value) == 0 {
			return fault.New(fault.Corrupt, "test", "it has no colour")
		}
		return nil
	})
	if err == nil {
		err = a.Sweep("colour", func(r kv.Record) (bool, error) {
			colour, err := a.Tx.Get("fruit", r.Value)
			return string(colour) == string(r.Key), err
		})
	}
	if err != nil {
		return err
	}
	for r, err := range a.Tx.Scan("fruit", kv.Range{}) {
		if err != nil {
			return err
		}
		if err := a.Want("colour", r.Value, r.Key, "fruit "+consistency.Name(r.Key)); err != nil {
			return err
		}
	}
	return nil
}

func put(records ...[3]string) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		for _, r := range records {
			if err := tx.Put(kv.Bucket(r[0]), []byte(r[1]), []byte(r[2])); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestACheckFindsAndRepairs(t *testing.T) {
	s := storetest.Open(t)
	storetest.Update(t, s, put([3]string{"fruit", "lemon", "yellow"}, [3]string{"fruit", "ghost", ""},
		[3]string{"fruit", "plum", "blue"}, [3]string{"colour", "yellow", "lemon"}, [3]string{"colour", "red", "plum"}))
	checks := func(fix bool) string {
		var found []string
		run := func(tx kv.Tx) error {
			found = nil
			return consistency.Run(t.Context(), tx, fix, func(f consistency.Finding) {
				mark := "mended"
				if f.Lost {
					mark = "lost"
				}
				found = append(found, f.Where+" "+mark)
			}, fruit)
		}
		if fix {
			storetest.Update(t, s, run)
		} else {
			storetest.View(t, s, run)
		}
		return strings.Join(found, ", ")
	}
	const all = `fruit "ghost" lost, index colour mended, `
	if got := checks(false); !strings.HasPrefix(got, all) || !strings.HasSuffix(got, `fruit "plum" mended`) {
		t.Errorf("found: %s", got)
	}
	if got := checks(true); got != all+`fruit "plum" mended` {
		t.Errorf("mended: %s", got)
	}
	if got := checks(false); got != "" {
		t.Errorf("left: %s", got)
	}
}

func TestACheckEndsWithItsCaller(t *testing.T) {
	s := storetest.Open(t)
	storetest.Update(t, s, put([3]string{"fruit", "lemon", "yellow"}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	storetest.View(t, s, func(tx kv.Tx) error {
		err := consistency.Run(ctx, tx, false, func(consistency.Finding) {}, fruit)
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%v", err)
		}
		return nil
	})
}

// FuzzNamesArePlain: whatever a key holds, its name is one short line of plain text.
func FuzzNamesArePlain(f *testing.F) {
	f.Add([]byte("session\x00\x00\x00\x07call"))
	f.Add([]byte{0, 0xff, '\n', 0x1b})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, key []byte) {
		name := consistency.Name(key)
		if len(name) > 90 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f && r != '…' }) {
			t.Errorf("%q is named %q", key, name)
		}
	})
}
