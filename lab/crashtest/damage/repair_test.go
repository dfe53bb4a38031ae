//go:build unix

package damage_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/kv"
	"ctxledger.dev/lab/crashtest/damage"
	"ctxledger.dev/lab/crashtest/script"
)

// TestRepairSavesWhatIsWhole: of ledgers with a flipped byte at least 99 in 100 records are saved,
// and no saved one is another than it was.
func TestRepairSavesWhatIsWhole(t *testing.T) {
	dir := original(t)
	story, err := script.LoadStory(dir)
	must(t, err)
	o, err := damage.Load(filepath.Join(dir, "state"))
	must(t, err)
	save := func(d damage.Damage) (int64, error) {
		return salvage(t.Context(), o, story[len(story)-1], d, filepath.Join(dir, "damaged"),
			filepath.Join(dir, "saved"))
	}
	whole, err := save(damage.Damage{What: "nothing"})
	must(t, err)
	total := max(*flips/10, 1)
	var saved, least int64 = 0, whole
	for n := range total {
		d := o.Flip(rand.New(rand.NewPCG(*seed, uint64(n))))
		got, err := save(d)
		if err != nil {
			t.Errorf("-kept=%s -seed=%d, flip %d: %s: %v", dir, *seed, n, d.What, err)
		}
		saved, least = saved+got, min(least, got)
	}
	share := float64(saved) / float64(whole*int64(total))
	t.Logf("%d flips, seed %d: %.3f%% of %d records saved, at least %d", total, *seed, 100*share, whole, least)
	enough := 0.99
	if total < 100 { // one flip in a page of which many records depend weighs more than it does among many
		enough = 0.97
	}
	if share < enough {
		t.Errorf("only %.3f%% saved", 100*share)
	}
}

// salvage saves what is whole of a damaged ledger and returns how many records that is.
func salvage(ctx context.Context, o *damage.Original, want script.State, d damage.Damage, from, into string) (
	int64, error) {
	if err := o.Save(from, d); err != nil {
		return 0, err
	}
	if err := os.RemoveAll(into); err != nil {
		return 0, err
	}
	ledger := engine.Options{State: from}
	files, place, err := ledger.Files()
	if err != nil {
		return 0, err
	}
	got, err := files.Salvage(ctx, place, into, func(kv.Problem) {})
	if err != nil {
		return 0, err
	}
	api, err := script.Open(ctx, into, &script.Clock{})
	if err != nil {
		return 0, err
	}
	defer api.Close()
	for q, right := range want {
		name, _, _ := strings.Cut(q, " ")
		answer := script.Ask(ctx, api, q)
		if single := name == "memory" || name == "content" || name == "blob"; single && answer[0] != '!' &&
			answer != right {
			return 0, fmt.Errorf("%s: %s, right is %s", q, answer, right)
		}
	}
	return got.Records, nil
}
