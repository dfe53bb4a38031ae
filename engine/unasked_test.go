package engine_test

import (
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/window"
)

// followedLedger is a ledger whose sessions are followed, with a clock.
type followedLedger struct {
	*engine.Local
	clock  *clock
	offset int64
}

func openFollowed(t *testing.T, p window.Policy, agents map[string]window.Policy) *followedLedger {
	t.Helper()
	e, c := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
		Settings: engine.Settings{Policy: &p, Agents: agents}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &followedLedger{Local: l, clock: c}
}

// comes records entries of the followed session, a second apart, the last one made now.
func (l *followedLedger) comes(t *testing.T, entries ...sessions.NewEntry) string {
	t.Helper()
	for i := range entries {
		if entries[i].Time.IsZero() {
			entries[i].Time = l.clock.now.Add(time.Duration(i-len(entries)+1) * time.Second)
		}
	}
	l.offset++
	return imported(t, l.Local, l.offset-1, entries...)
}

// Nobody asks for a view of a followed session: its agents are warned all the same, each once until the next
// compaction.
func TestAFollowedSessionIsWarnedUnasked(t *testing.T) {
	p, own := window.Default(), window.Default()
	p.Compact.WarnAt, p.Compact.CutoverAt, own.Compact.WarnAt = 1_000, 2_000, 300
	l := openFollowed(t, p, map[string]window.Policy{"explorer": own})
	told := func() []string {
		var out []string
		for _, kind := range []string{ledger.EventBudgetWarn, ledger.EventCutover} {
			for _, w := range eventsOf[ledger.BudgetWarning](t, l.Local, kind) {
				out = append(out, w.String())
			}
		}
		return out
	}
	for i, step := range []struct {
		name    string
		entries []sessions.NewEntry
		want    []string // what is new
	}{
		{"below", []sessions.NewEntry{asking("go"), spent("", false, 999)}, nil},
		{"warned", []sessions.NewEntry{spent("", false, 1)}, []string{
			"the conversation: 1,000 tokens of input since the last compaction, warn_at is 1,000, cutover_at is 2,000"}},
		{"once", []sessions.NewEntry{spent("", false, 1)}, nil},
		{"what the cache has is not new", []sessions.NewEntry{repeated(90_000)}, nil},
		{"a subagent with a limit of its own", []sessions.NewEntry{spent("explorer", true, 300)}, []string{
			"agent explorer: 300 tokens of input since the last compaction, warn_at is 300"}},
		{"reached", []sessions.NewEntry{spent("", false, 1_000)}, []string{
			"the conversation: 2,001 tokens of input since the last compaction, warn_at is 1,000, cutover_at is 2,000"}},
		{"both once", []sessions.NewEntry{asking("on"), spent("", false, 5_000), spent("explorer", true, 1)}, nil},
	} {
		before := len(told())
		id := l.comes(t, step.entries...)
		got := told()
		if len(got)-before != len(step.want) {
			t.Fatalf("step %d, %s: %q is new", i, step.name, got[before:])
		}
		for _, want := range step.want {
			if !strings.Contains(strings.Join(got, "\n"), want) {
				t.Errorf("%s: %q was not told, but %q", step.name, want, got)
			}
		}
		if n := len(status(t, l.Local, id).Warned); n != len(got) {
			t.Errorf("%s: the status has %d of %d warnings", step.name, n, len(got))
		}
	}
	id := l.comes(t, append(hostCut(true, 9_000), spent("", false, 10))...)
	if w := status(t, l.Local, id).Warned; len(w) > 0 {
		t.Errorf("after the host's compaction there are still %+v", w)
	}
	before := len(told())
	if l.comes(t, spent("", false, 1_500)); len(told()) != before+1 {
		t.Errorf("in the next cycle: %q", told())
	}
}

// Past sessions are imported in silence.
func TestAPastSessionIsNotWarned(t *testing.T) {
	p := window.Default()
	p.Compact.WarnAt = 1_000
	l := openFollowed(t, p, nil)
	old := spent("", false, 5_000)
	old.Time = l.clock.now.Add(-time.Hour)
	l.comes(t, old)
	if w := eventsOf[ledger.BudgetWarning](t, l.Local, ledger.EventBudgetWarn); len(w) > 0 {
		t.Errorf("warned of %+v", w)
	}
}

// A session that continues after its provider's cache expired is checked at once: what it holds is written again.
func TestAResumedSessionIsCheckedAgainstItsThreshold(t *testing.T) {
	for _, c := range []struct {
		name  string
		held  int64
		long  bool // the cache was asked for an hour
		pause time.Duration
		want  string
	}{
		{"over the threshold", 90_000, false, 6 * time.Minute,
			"the conversation was resumed after a pause in which its provider's cache has probably expired: its window holds ≈90,006 " +
				"tokens, and the first request after it pays for all of them again"},
		{"below it", 70_000, false, 6 * time.Minute, ""},
		{"after a short pause", 90_000, false, 4 * time.Minute, ""},
		{"within the hour that its cache stays", 90_000, true, 30 * time.Minute, ""},
		{"after that hour", 90_000, true, 61 * time.Minute, "was resumed after a pause"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := openFollowed(t, window.Default(), nil)
			answer := spent("", false, 0)
			answer.Model = "claude-sonnet-4-5"
			answer.Usage = &sessions.Usage{Input: 1, CacheWrite: c.held - 1}
			if c.long {
				answer.Usage.CacheLong = c.held - 1
			}
			l.comes(t, asking("go"), answer)
			for range 2 { // each such request is paid again
				l.clock.now = l.clock.now.Add(c.pause)
				id := l.comes(t, asking("on"))
				l.comes(t, asking("and on"))
				if now := status(t, l.Local, id).Warned; len(now) != min(1, len(c.want)) {
					t.Errorf("before the request was paid: %+v", now)
				}
				l.comes(t, answer)
				if now := status(t, l.Local, id).Warned; len(now) > 0 {
					t.Errorf("after it was paid there are still %+v", now)
				}
			}
			got := ""
			for _, w := range eventsOf[ledger.BudgetWarning](t, l.Local, ledger.EventBudgetWarn) {
				got += w.String()
			}
			if !strings.Contains(got, c.want) || strings.Count(got, "resumed") != 2*min(1, len(c.want)) {
				t.Errorf("warned: %q", got)
			}
		})
	}
}

// repeated is an answer to a request of which the provider had so many tokens in its cache.
func repeated(cached int64) sessions.NewEntry {
	e := spent("", false, 0)
	e.Usage.CacheRead = cached
	return e
}
