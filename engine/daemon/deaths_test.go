package daemon

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestKilledOwnersAreReplacedHoweverOften kills owner after owner: a client notices nothing.
func TestKilledOwnersAreReplacedHoweverOften(t *testing.T) {
	state := stateDir(t)
	api := open(t, optionsFor(t, state))
	last := 0
	for i := range 6 {
		info, err := api.Info(deadlined(t), ledger.InfoRequest{})
		if err != nil || info.PID == last {
			t.Fatalf("after %d kills: owner %d, then %d, %v", i, last, info.PID, err)
		}
		last = info.PID
		kill(t, last)
	}
}

// TestOwnersThatDieAtTheStart has owners that die before they can be used. The client says why, and works
// again as soon as the cause is gone.
func TestOwnersThatDieAtTheStart(t *testing.T) {
	for how, cause := range map[string]string{"exit": "exit status 3", "panic": "panic: seeded crash"} {
		t.Run(how, func(t *testing.T) {
			state := stateDir(t)
			o := optionsFor(t, state)
			api := open(t, o)
			t.Setenv(crashVariable, how)
			kill(t, published(t, state).PID)
			for _, c := range []struct {
				who string
				err error
			}{
				{"the client that had an owner", info(t, api)},
				{"its next call", info(t, api)},
				{"a new client", openAndClose(t, o)},
			} {
				wantCrashLoop(t, c.who, c.err, "while starting", cause)
			}
			t.Setenv(crashVariable, "")
			if err := info(t, api); err != nil {
				t.Errorf("when the cause is gone: %v", err)
			}
		})
	}
}

// TestARequestThatKillsItsOwners has owners that die by themselves of one request. That request ends with
// the cause, also when it is sent again; requests of others are answered meanwhile.
func TestARequestThatKillsItsOwners(t *testing.T) {
	t.Setenv(crashVariable, "request")
	state := stateDir(t)
	o := optionsFor(t, state)
	api, waiter := open(t, o), open(t, o)
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	others.Go(func() {
		r := ledger.WaitEventsRequest{Kinds: []string{ledger.EventForgotten}, WaitMS: 60_000}
		if got, err := waiter.WaitEvents(ctx, r); ctx.Err() == nil {
			t.Errorf("a poll ended: %+v, %v", got, err)
		}
	})
	for range 4 {
		other := open(t, o)
		others.Go(func() {
			for ctx.Err() == nil {
				if err := info(t, other); err != nil {
					t.Errorf("another client: %v", err)
				}
			}
		})
	}
	growth := func() error {
		_, err := api.TurnStats(deadlined(t), ledger.TurnStatsRequest{})
		return err
	}
	for range 3 {
		wantCrashLoop(t, "the request", growth(), "while answering Growth", "panic: seeded crash")
	}
	if err := info(t, api); err != nil {
		t.Errorf("another request of the same client: %v", err)
	}
	log, err := os.ReadFile(link.LogPath(state))
	if n, most := bytes.Count(log, []byte("msg="+link.OwnMessage)), 6; err != nil || n > most {
		t.Errorf("%d owners, not %d: %v", n, most, err)
	}
	stop()
	others.Wait()
	t.Setenv(crashVariable, "")
	if err := link.Stop(deadlined(t), state); err != nil {
		t.Fatal(err)
	}
	if err := growth(); fault.Is(err, fault.Unavailable) {
		t.Errorf("when the cause is gone: %v", err)
	}
}

// info makes one call.
func info(t *testing.T, api ledger.API) error {
	_, err := api.Info(deadlined(t), ledger.InfoRequest{})
	return err
}

// wantCrashLoop wants the error that names what owners die of, with secrets masked.
func wantCrashLoop(t *testing.T, who string, err error, words ...string) {
	t.Helper()
	hint := fault.HintOf(err)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(hint, "ctxledger ledger check") ||
		!strings.Contains(hint, "daemon.log") {
		t.Errorf("%s: %v, hint %q", who, err, hint)
		return
	}
	for _, w := range append(words, "crashed") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v does not say %q", who, err, w)
		}
	}
	if strings.Contains(err.Error(), "Xk29vLq8RtWm") {
		t.Errorf("%s: %v", who, err)
	}
}
