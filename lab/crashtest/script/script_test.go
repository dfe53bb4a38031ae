package script

import (
	"context"
	"testing"
	"time"
)

// TestEveryRunIsTheSame: two runs give the same states, and playing again changes nothing.
func TestEveryRunIsTheSame(t *testing.T) {
	steps := Steps(8)
	began := time.Now()
	first, err := Tell(t.Context(), t.TempDir(), steps)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(began), len(first[len(first)-1]), "questions")
	dir := t.TempDir()
	second, err := Tell(t.Context(), dir, steps)
	if err != nil {
		t.Fatal(err)
	}
	for n := range first {
		if d := first[n].Differences(second[n]); len(d) > 0 {
			t.Fatalf("after %d steps: %q", n, d)
		}
		if n > 0 && steps[n-1].Name != "collect" && len(first[n].Differences(first[n-1])) == 0 {
			t.Errorf("step %d (%s) changed nothing", n, steps[n-1].Name)
		}
	}
	clock := &Clock{}
	api, err := Open(t.Context(), dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	fail := func(_ int, err error) (bool, error) { return false, err }
	if err := Play(context.Background(), api, clock, steps, len(steps), fail); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	again, err := Read(t.Context(), api)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("reading takes", time.Since(began))
	if d := again.Differences(first[len(first)-1]); len(d) > 0 {
		t.Errorf("played again: %q", d)
	}
	for q, a := range again {
		if a[0] == '!' && a != "!not_found" {
			t.Errorf("%s is answered with %s", q, a)
		}
	}
}
