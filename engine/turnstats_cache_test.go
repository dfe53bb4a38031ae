package engine_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// looked is a context that counts how often somebody looks whether it has ended, which a replay does once a turn, and
// ends at the look number last; 0: never.
type looked struct {
	context.Context
	n    *atomic.Int64
	last int64
}

func (l looked) Err() error {
	if n := l.n.Add(1); l.last > 0 && n >= l.last {
		return context.Canceled
	}
	return l.Context.Err()
}

// talked is a session of many turns.
func talked(t *testing.T, l *engine.Local, turns int) string {
	t.Helper()
	texts := make([]string, 2*turns)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	return hand(t, l, ledger.AppendMessagesRequest{Messages: say(texts...)}).Session
}

// TestAGrowthGoesOnWhereItWasGivenUp gives up a growth in its middle: the next one replays the rest.
func TestAGrowthGoesOnWhereItWasGivenUp(t *testing.T) {
	const turns, given = 400, 300
	l := open(t)
	id := talked(t, l, turns)
	_, err := l.TurnStats(looked{t.Context(), new(atomic.Int64), given}, ledger.TurnStatsRequest{Session: id})
	wantCode(t, err, fault.Unavailable)
	var n atomic.Int64
	g, err := l.TurnStats(looked{t.Context(), &n, 0}, ledger.TurnStatsRequest{Session: id})
	if err != nil || len(g.Turns) != turns {
		t.Fatal(len(g.Turns), err)
	}
	if n.Load() > turns-given+100 {
		t.Errorf("it was replayed from the beginning: %d looks", n.Load())
	}
	growth(t, l, id)
}

// TestWhoAsksMeanwhileReplaysNothing has a growth asked for by several at once: one replays the log for all.
func TestWhoAsksMeanwhileReplaysNothing(t *testing.T) {
	const turns, askers = 400, 4
	l := open(t)
	id := talked(t, l, turns)
	var n atomic.Int64
	var running sync.WaitGroup
	for range askers {
		running.Go(func() {
			if g, err := l.TurnStats(looked{t.Context(), &n, 0}, ledger.TurnStatsRequest{Session: id}); err != nil ||
				len(g.Turns) != turns {
				t.Error(len(g.Turns), err)
			}
		})
	}
	running.Wait()
	if n.Load() > turns+200 {
		t.Errorf("%d askers replayed more than one has to: %d looks", askers, n.Load())
	}
}
