package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/internal/storetest"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
	"ctxledger.dev/memory"
)

// stored returns every record of the index.
func stored(tx kv.Tx) (keys, values string, err error) {
	for r, e := range tx.Scan("memory.words", kv.Range{}) {
		if e != nil {
			return "", "", e
		}
		keys, values = keys+string(r.Key), values+string(r.Value)
	}
	return keys, values, nil
}

// TestRecallFindsWhatAScanFinds: after random changes, deletions, restorations and forgettings, of a memory or of a text, a
// recall finds the memories that a comparison with each finds, and a check finds nothing wrong.
func TestRecallFindsWhatAScanFinds(t *testing.T) {
	vocabulary := strings.Fields("buildingA builds deploying parseConfig HTTP_SERVER test testing 数据库 café naïve port")
	for seed := range uint64(10) {
		r, s := rand.New(rand.NewPCG(seed, 1)), storetest.Open(t)
		text := func() (out string) {
			for range 1 + r.IntN(4) {
				out += vocabulary[r.IntN(len(vocabulary))] + " "
			}
			return out
		}
		for range 60 {
			name := fmt.Sprint("n", r.IntN(8))
			storetest.Update(t, s, func(tx kv.Tx) (err error) {
				switch r.IntN(6) {
				default:
					_, err = memory.Save(tx, entry(name, text(), text()), guid, true)
				case 0:
					memory.Delete(tx, memory.Project, name, noon) // or it is not there
				case 1:
					memory.Restore(tx, memory.Project, name, noon)
				case 2:
					memory.Forget(tx, memory.Project, name)
				case 3:
					err = forgetText(tx, []string{"buildingA", "deploying"}[r.IntN(2)])
				}
				return err
			})
		}
		storetest.View(t, s, func(tx kv.Tx) error {
			all, _, err := memory.List(tx, memory.Project, "", 0)
			if err != nil {
				return err
			}
			for _, query := range append(vocabulary, "n3 n4", "deploys tests") {
				got, err := memory.Recall(tx, memory.Project, query, 0)
				if want := memory.Rank(all, query, 0); sorted(got) != sorted(want) || err != nil {
					t.Errorf("seed %d: %q: got %s, want %s, %v", seed, query, sorted(got), sorted(want), err)
				}
			}
			return consistency.Run(t.Context(), tx, false, func(f consistency.Finding) { t.Error(f) }, memory.Check)
		})
	}
}

// forgetText takes a text out of all memories.
func forgetText(tx kv.Tx, text string) error {
	out, err := scrub.New(text, "[gone]")
	if err != nil {
		return err
	}
	for _, rule := range memory.Rules(time.Unix(0, 0)) {
		keys, err := rule.Keys(tx, out)
		if err != nil {
			return err
		}
		for _, k := range keys {
			v, err := tx.Get(rule.Bucket, k)
			if err != nil {
				return err
			}
			if _, err := rule.Out(tx, kv.Record{Key: k, Value: v}, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func sorted(entries []memory.Entry) string {
	all := strings.Split(names(entries), ",")
	slices.Sort(all)
	return strings.Join(all, ",")
}

// TestForgettingLeavesNoWords: what the index holds after a memory is forgotten and purged is what it held before that
// was saved, and names it nowhere.
func TestForgettingLeavesNoWords(t *testing.T) {
	s := storetest.Open(t)
	saveAll(t, s, entry("port", "the port", "5432"))
	before := ""
	storetest.View(t, s, func(tx kv.Tx) (err error) { _, before, err = stored(tx); return err })
	saveAll(t, s, entry("hush", "a secret", "xyzzy"), entry("hush", "a secret", "plugh"))
	storetest.Update(t, s, func(tx kv.Tx) error {
		if _, err := memory.Forget(tx, memory.Project, "hush"); err != nil {
			return err
		}
		return memory.Purge(tx)
	})
	storetest.View(t, s, func(tx kv.Tx) error {
		_, after, err := stored(tx)
		if after != before || strings.Contains(after, "hush") {
			t.Errorf("the index holds %q, and held %q", after, before)
		}
		return err
	})
}

// TestADamagedIndexIsMadeAgain: a record of each kind is lost.
func TestADamagedIndexIsMadeAgain(t *testing.T) {
	s := storetest.Open(t)
	saveAll(t, s, entry("port", "the port", "5432"), entry("deploy", "never on Friday", "ask first"))
	check := func(tx kv.Tx, fix bool) (found int) {
		err := consistency.Run(t.Context(), tx, fix, func(consistency.Finding) { found++ }, memory.Check)
		if err != nil {
			t.Error(err)
		}
		return found
	}
	for n := range 4 { // kinds of records
		var key []byte
		storetest.Update(t, s, func(tx kv.Tx) error {
			i := 0
			for r, err := range tx.Scan("memory.words", kv.Range{}) {
				if err != nil {
					return err
				}
				if i++; i == n+1 {
					key = slices.Clone(r.Key)
				}
			}
			return tx.Delete("memory.words", key)
		})
		storetest.Update(t, s, func(tx kv.Tx) error {
			if first, second := check(tx, true), check(tx, false); first != 1 || second != 0 {
				t.Errorf("without %q: %d findings, %d after the repair", key, first, second)
			}
			got, err := memory.Recall(tx, memory.Project, "friday", 0)
			if names(got) != "deploy" {
				t.Errorf("without %q: recalled %q", key, names(got))
			}
			return err
		})
	}
}

// BenchmarkRecall recalls five of many facts by three words each, of which some are in many.
func BenchmarkRecall(b *testing.B) {
	const vocabulary = 20_000
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			word := func() string { return fmt.Sprintf("word%d", int(vocabulary*r.Float64()*r.Float64()*r.Float64())) }
			text := func(n int) (out string) {
				for range n {
					out += word() + " "
				}
				return out
			}
			s := storetest.Open(b)
			for from := 0; from < n; from += 1000 {
				var batch []memory.Entry
				for i := range 1000 {
					batch = append(batch, entry(fmt.Sprintf("fact_%06d", from+i), text(8), text(25)))
				}
				saveAll(b, s, batch...)
			}
			for b.Loop() {
				query := text(3)
				storetest.View(b, s, func(tx kv.Tx) error {
					_, err := memory.Recall(tx, memory.Project, query, 5)
					return err
				})
			}
		})
	}
}
