package kvtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ctxledger.dev/kv"
)

// errWanted makes an update fail on purpose.
var errWanted = errors.New("wanted")

// step is one operation of a random update.
type step struct {
	key    string
	value  string
	remove bool
}

// model: random updates, some failing, compared with a map after each; random scans; and the
// whole again after reopening.
func (s suite) model(t *testing.T) {
	key := rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00\u00ff")), 1, 4, -1)
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		st := s.open(t, dir)
		defer func() { _ = st.Close() }() // checked below when the case gets that far
		want := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(rt, "updates") {
			steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
				return step{key.Draw(rt, "key"), rapid.StringN(0, 40, 4000).Draw(rt, "value"),
					rapid.IntRange(0, 3).Draw(rt, "op") == 0}
			}), 0, 12).Draw(rt, "steps")
			fails := rapid.IntRange(0, 4).Draw(rt, "fails") == 0
			err := st.Update(context.Background(), func(tx kv.Tx) error { return apply(tx, steps, fails) })
			if fails != errors.Is(err, errWanted) || (err != nil && !fails) {
				rt.Fatalf("update: %v, wanted to fail: %v", err, fails)
			}
			if !fails {
				applyMap(want, steps)
			}
			r := kv.Range{Reverse: rapid.Bool().Draw(rt, "reverse")}
			for _, bound := range []*[]byte{&r.Prefix, &r.From, &r.To} {
				if rapid.Bool().Draw(rt, "bounded") {
					*bound = []byte(key.Draw(rt, "bound"))
				}
			}
			compare(rt, st, want, r)
		}
		if err := st.Close(); err != nil {
			rt.Fatal(err)
		}
		st = s.open(t, dir)
		compare(rt, st, want, kv.Range{})
		if err := st.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func apply(tx kv.Tx, steps []step, fails bool) error {
	for _, op := range steps {
		var err error
		if op.remove {
			err = tx.Delete(bucket, []byte(op.key))
		} else {
			err = tx.Put(bucket, []byte(op.key), []byte(op.value))
		}
		if err != nil {
			return err
		}
	}
	if fails {
		return errWanted
	}
	return nil
}

func applyMap(m map[string]string, steps []step) {
	for _, op := range steps {
		if op.remove {
			delete(m, op.key)
		} else {
			m[op.key] = op.value
		}
	}
}

// compare checks a range of the store and each of its keys against the map.
func compare(rt *rapid.T, st kv.Store, want map[string]string, r kv.Range) {
	keys := inRange(slices.Sorted(maps.Keys(want)), r)
	err := st.View(context.Background(), func(tx kv.Tx) error {
		i := 0
		for rec, err := range tx.Scan(bucket, r) {
			if err != nil {
				return err
			}
			if i >= len(keys) || string(rec.Key) != keys[i] || string(rec.Value) != want[keys[i]] {
				return fmt.Errorf("record %d is %q = %q, want keys %q", i, rec.Key, rec.Value, keys)
			}
			value, err := tx.Get(bucket, rec.Key)
			if err != nil || string(value) != want[keys[i]] {
				return fmt.Errorf("get %q = %q, %v", rec.Key, value, err)
			}
			i++
		}
		if i != len(keys) {
			return fmt.Errorf("%d records, want keys %q", i, keys)
		}
		return nil
	})
	if err != nil {
		rt.Fatal(err)
	}
}
