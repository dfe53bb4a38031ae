package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// made returns options for a closed ledger with one memory.
func made(t *testing.T) Options {
	t.Helper()
	o := optionsFor(t, stateDir(t))
	o.InProcess = true
	api, err := Open(deadlined(t), o)
	if err != nil {
		t.Fatal(err)
	}
	save(t, api, "fact")
	if err := api.Close(); err != nil {
		t.Fatal(err)
	}
	o.InProcess = false
	return o
}

// TestWhatBefallsAReaderOfADamagedLedger: whatever a file does to the process that reads it, this one
// answers.
func TestWhatBefallsAReaderOfADamagedLedger(t *testing.T) {
	o := made(t)
	t.Setenv(childVariable, "crash")
	c, err := Check(deadlined(t), o)
	if err != nil || c.Total != 1 || !strings.Contains(c.Damage[0].What, "crashed") {
		t.Errorf("crash: %+v, %v", c, err)
	}
	t.Setenv(childVariable, "hang")
	within := deadlined(t)
	_, err = inChild(within, o, 100*time.Millisecond, hiddenCheck, o.State)
	if !fault.Is(err, fault.Unavailable) || fault.HintOf(err) == "" {
		t.Errorf("hang: %v", err)
	}
	if within.Err() != nil {
		t.Error("a child that hangs was waited for until the caller gave up")
	}
	t.Setenv(childVariable, "chatter")
	if _, err := inChild(deadlined(t), o, patience, hiddenCheck, o.State); !errors.Is(err, errDied) {
		t.Errorf("chatter: %v", err)
	}
	t.Setenv(childVariable, "")
	if c, err := Check(deadlined(t), o); err != nil || c.Total != 0 || c.Records == 0 {
		t.Errorf("in peace: %+v, %v", c, err)
	}
}

func TestACheckLeavesNothingAndDisturbsNoClient(t *testing.T) {
	o := made(t)
	api := open(t, o)
	save(t, api, "another")
	pid := published(t, o.State).PID
	for range 3 {
		if c, err := Check(deadlined(t), o); err != nil || c.Total != 0 {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	save(t, api, "a third")
	if now := published(t, o.State).PID; now != pid {
		t.Errorf("the owner is %d, was %d", now, pid)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(o.State), ".*"))
	if err != nil || len(names) > 0 {
		t.Errorf("left behind: %q, %v", names, err)
	}
	if left := copies(t, o.State); len(left) > 0 {
		t.Errorf("left inside: %q", left)
	}
}

// copies lists what lies in the directory for copies.
func copies(t *testing.T, state string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state, temporary.Name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestAnInterruptedCheckLeavesNothing: its copies were left beside the state directory for ever, where forgetting did not
// look.
func TestAnInterruptedCheckLeavesNothing(t *testing.T) {
	o := made(t)
	open(t, o)
	for _, state := range []string{"hang", "crash"} {
		t.Setenv(childVariable, state)
		ctx, cancel := context.WithCancel(deadlined(t))
		ended := make(chan error, 1)
		go func() {
			_, err := Check(ctx, o)
			ended <- err
		}()
		cancel()
		<-ended
		if left := copies(t, o.State); len(left) > 0 {
			t.Errorf("%s: left %q", state, left)
		}
	}
}

// TestTheNextOwnerRemovesTheCopiesOfAKilledCheck: no signal tells a process that it is killed.
func TestTheNextOwnerRemovesTheCopiesOfAKilledCheck(t *testing.T) {
	o := made(t)
	for _, name := range []string{"check-999999999-1", "repair-999999999-1"} {
		if err := os.MkdirAll(filepath.Join(o.State, temporary.Name, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	open(t, o)
	if left := copies(t, o.State); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

func TestHousekeepingHasItsOwnDeadline(t *testing.T) {
	long := link.Request{Method: "CollectGarbage", Deadline: time.Hour.Milliseconds() / 2}
	if got := deadline(long); got != 30*time.Minute {
		t.Errorf("gc may take %s", got)
	}
	long.Method = "Sessions"
	if got := deadline(long); got > 2*time.Minute {
		t.Errorf("a list may take %s", got)
	}
}

// TestHousekeepingEndsWithItsClient: a client that hangs up does not leave a collection behind.
func TestHousekeepingEndsWithItsClient(t *testing.T) {
	o := made(t)
	ended := make(chan error, 1)
	run(t, Config{State: o.State, open: func(c Config) (ledger.API, error) {
		local, err := openLedger(t.Context(), Config{State: c.State, Env: c.Env})
		return patientCollector{local, ended}, err
	}})
	api := open(t, o)
	ctx, cancel := context.WithCancel(deadlined(t))
	go func() {
		<-ended // it has begun
		cancel()
	}()
	if _, err := api.CollectGarbage(ctx, ledger.CollectGarbageRequest{}); err == nil {
		t.Error("it ended by itself")
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("it continues without its client")
	}
}

// patientCollector collects garbage until its context is done.
type patientCollector struct {
	ledger.API
	ended chan error
}

func (p patientCollector) CollectGarbage(ctx context.Context,
	_ ledger.CollectGarbageRequest) (ledger.Collected, error) {
	p.ended <- nil
	<-ctx.Done()
	p.ended <- context.Cause(ctx)
	return ledger.Collected{}, ctx.Err()
}
