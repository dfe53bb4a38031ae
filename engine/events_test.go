package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// events asks for events without waiting.
func events(t *testing.T, l *engine.Local, r ledger.WaitEventsRequest) ledger.WaitEventsResponse {
	t.Helper()
	resp, err := l.WaitEvents(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// answer is what a waiting WaitEvents ended with.
type answer struct {
	resp ledger.WaitEventsResponse
	err  error
}

// waiting starts a WaitEvents and returns where its answer comes.
func waiting(ctx context.Context, l *engine.Local, r ledger.WaitEventsRequest) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		resp, err := l.WaitEvents(ctx, r)
		done <- answer{resp, err}
	}()
	return done
}

// got returns an answer that must come soon: long before the wait of the request is over.
func got(t *testing.T, done <-chan answer) answer {
	t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(10 * time.Second):
		t.Fatal("WaitEvents did not return")
		return answer{}
	}
}

func TestWaitEventsWakesAtOnce(t *testing.T) {
	l := open(t)
	first := events(t, l, ledger.WaitEventsRequest{After: -1})
	if len(first.Events) != 0 {
		t.Fatalf("from now on: %+v", first)
	}
	done := waiting(t.Context(), l, ledger.WaitEventsRequest{After: first.Next, WaitMS: 60_000})
	id := hand(t, l, ledger.AppendMessagesRequest{Messages: spell("Ab")}).Session
	a := got(t, done)
	if a.err != nil || len(a.resp.Events) != 1 {
		t.Fatalf("%+v", a)
	}
	e := a.resp.Events[0]
	if e.Kind != ledger.EventEntries || e.Session != id || e.Entry != 2 || e.Count != 2 || e.Seq != a.resp.Next ||
		e.Time.IsZero() {
		t.Errorf("%+v", e)
	}
}

func TestWaitEventsFilters(t *testing.T) {
	l := open(t)
	a := hand(t, l, ledger.AppendMessagesRequest{Messages: spell("A")}).Session
	b := hand(t, l, ledger.AppendMessagesRequest{Messages: spell("B")}).Session
	if _, err := l.SaveMemory(t.Context(), fact("", "m")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		r    ledger.WaitEventsRequest
		want string
		next int64
	}{
		{ledger.WaitEventsRequest{}, "1 2 3 ", 3},
		{ledger.WaitEventsRequest{After: 1}, "2 3 ", 3},
		{ledger.WaitEventsRequest{Limit: 2}, "1 2 ", 2},
		{ledger.WaitEventsRequest{Session: a}, "1 ", 3},
		{ledger.WaitEventsRequest{Session: b, Kinds: []string{ledger.EventMemory}}, "", 3},
		{ledger.WaitEventsRequest{Kinds: []string{ledger.EventMemory, "unknown"}}, "3 ", 3},
		{ledger.WaitEventsRequest{Kinds: []string{ledger.EventMemory}, Limit: 1}, "3 ", 3},
		{ledger.WaitEventsRequest{After: 3}, "", 3},
		{ledger.WaitEventsRequest{Limit: -1}, "1 2 3 ", 3},
	} {
		resp := events(t, l, test.r)
		seqs := ""
		for _, e := range resp.Events {
			seqs += fmt.Sprint(e.Seq, " ")
		}
		if seqs != test.want || resp.Next != test.next || resp.Missed {
			t.Errorf("%+v: %s next %d missed %v", test.r, seqs, resp.Next, resp.Missed)
		}
	}
	_, err := l.WaitEvents(t.Context(), ledger.WaitEventsRequest{Kinds: make([]string, 1000)})
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a thousand kinds: %v", err)
	}
}

func TestAWaitEndsWithItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := testEnv()
		l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/w", Env: e})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for wait, want := range map[int64]time.Duration{
			0: 0, -5: 0, 1500: 1500 * time.Millisecond, 1 << 40: limits.LongPoll, 1 << 62: limits.LongPoll,
		} {
			start := time.Now() //style:ok the fake clock of synctest
			resp, err := l.WaitEvents(t.Context(), ledger.WaitEventsRequest{WaitMS: wait})
			if took := time.Since(start); err != nil || len(resp.Events) > 0 || took != want { //style:ok the fake clock
				t.Errorf("wait of %d ms: %v after %v, want %v", wait, err, took, want)
			}
		}
	})
}

func TestAWaitEndsWithItsContextAndWithTheLedger(t *testing.T) {
	l := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := waiting(ctx, l, ledger.WaitEventsRequest{WaitMS: 60_000})
	cancel()
	if a := got(t, done); !fault.Is(a.err, fault.Unavailable) {
		t.Errorf("cancelled: %+v", a)
	}
	done = waiting(t.Context(), l, ledger.WaitEventsRequest{WaitMS: 60_000})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if a := got(t, done); !fault.Is(a.err, fault.Unavailable) {
		t.Errorf("closed: %+v", a)
	}
}

func TestEventsOfOtherKindsDoNotEndAWait(t *testing.T) {
	l := open(t)
	done := waiting(t.Context(), l, ledger.WaitEventsRequest{Kinds: []string{ledger.EventMemory}, WaitMS: 60_000})
	for range 3 {
		hand(t, l, ledger.AppendMessagesRequest{Messages: spell("A")})
	}
	if _, err := l.SaveMemory(t.Context(), fact("", "m")); err != nil {
		t.Fatal(err)
	}
	if a := got(t, done); a.err != nil || len(a.resp.Events) != 1 || a.resp.Events[0].Kind != ledger.EventMemory {
		t.Errorf("%+v", a)
	}
}

// TestMissedEventsAreSaid: only the newest limits.Events are kept, and a reader that is too late learns it at
// once, also when no event fits the filter.
func TestMissedEventsAreSaid(t *testing.T) {
	e, _ := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/w", Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	note := sessions.NewEntry{Kind: sessions.KindNote, Original: []byte("{}")}
	const extra = 5
	total := int64(limits.Events + extra)
	// Concurrent callers share commits.
	done := make(chan error)
	for w := range 50 {
		go func() {
			var err error
			for i := int64(0); i < total/50+1 && err == nil; i++ {
				_, err = l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{
					Import: fmt.Sprint(w), Session: sessions.Session{Host: "h", HostID: fmt.Sprint(w)},
					Offset: i, Next: i + 1, Entries: []sessions.NewEntry{note},
				})
			}
			done <- err
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	total = newest(t, l)
	oldest := total - limits.Events // the newest event that is gone
	for _, test := range []struct {
		after  int64
		missed bool
		first  int64
	}{{0, true, oldest + 1}, {oldest - 1, true, oldest + 1}, {oldest, false, oldest + 1}, {total - 1, false, total}} {
		resp := events(t, l, ledger.WaitEventsRequest{After: test.after, Limit: 1})
		if resp.Missed != test.missed || len(resp.Events) != 1 || resp.Events[0].Seq != test.first {
			t.Errorf("after %d: missed %v, %+v", test.after, resp.Missed, resp.Events)
		}
	}
	for _, after := range []int64{0, total + 1, 1<<63 - 1} {
		resp := got(t, waiting(t.Context(), l,
			ledger.WaitEventsRequest{After: after, Kinds: []string{ledger.EventMemory}, WaitMS: 60_000})).resp
		if !resp.Missed || resp.Next != total || len(resp.Events) != 0 {
			t.Errorf("after %d: %+v", after, resp)
		}
	}
}
