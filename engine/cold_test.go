package engine_test

import (
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// After a pause the provider's cache has nothing of the view any more: a compaction is due earlier. How long that takes
// is what the host asked for when it wrote the cache.
func TestAPauseIsAnOccasion(t *testing.T) {
	for _, c := range []struct {
		name  string
		long  int64
		pause time.Duration
		want  string
	}{
		{"a short one", 0, 4 * time.Minute, ""},
		{"the cache has expired", 0, 6 * time.Minute, "cache_expired"},
		{"it was written for an hour", 1_000, 6 * time.Minute, ""},
		{"which is over", 1_000, 61 * time.Minute, "cache_expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := testEnv()
			now := e.Now()
			e.Now = func() time.Time { return now }
			l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			answer := spent("", false, 0)
			answer.Time, answer.Usage = now, &sessions.Usage{CacheWrite: 1_000, CacheLong: c.long}
			half := strings.Repeat("word ", 25_000)
			id := imported(t, l, 0, asking(half), asking(half), answer, asking("on"))
			now = now.Add(c.pause)
			made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id})
			lower := strings.Contains(made.Due.Why, "tokens, and the limit once the provider's cache has expired is ")
			if err != nil || made.Due.Reason != c.want || lower != (c.want != "") {
				t.Errorf("%q, %s, %v", made.Due.Reason, made.Due.Why, err)
			}
		})
	}
}

// TestWhatTheProviderCountsDecides: the log does not have all that fills a window, so a request that a provider counted as larger
// than the estimate is as large as that; but what was sent before a step does not have a small view compacted.
func TestWhatTheProviderCountsDecides(t *testing.T) {
	for _, c := range []struct {
		name        string
		words, held int
		want        string
	}{
		{"nothing is known", 60_000, 0, ""},
		{"it counts less", 60_000, 50_000, ""},
		{"it counts more", 60_000, 79_000, ""},
		{"more than the threshold", 60_000, 90_000, "threshold"},
		{"many times as much as there can be", 5_000, 1_000_000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			half := strings.Repeat("word ", c.words/2)
			id := imported(t, l, 0, asking(half), asking(half), spent("", false, 0), asking("on"))
			made, err := l.EditView(t.Context(), ledger.EditViewRequest{Session: id, Held: c.held})
			if err != nil || made.Due.Reason != c.want {
				t.Errorf("%q, %s, %v", made.Due.Reason, made.Due.Why, err)
			}
		})
	}
}
