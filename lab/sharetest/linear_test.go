package sharetest

import (
	"bytes"
	"context"
	"encoding/gob"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

const (
	processes = 8
	clients   = 64 // in all processes
	// spread is how many times as long the longest time between two ends of owners is as the shortest.
	spread = 10
	// asked: one of so many ends of owners is a regular stop, the others are kills.
	asked = 5
	// perKey is about how many operations of a history concern one key: few, so that the checker is fast.
	perKey = 500
)

// TestHistoriesAreLinearizable has eight processes of eight clients each at one ledger, whose owner is
// sent away and killed meanwhile. What they were answered fits one order of all they did, nothing was
// applied twice, and all of them saw the same events.
func TestHistoriesAreLinearizable(t *testing.T) {
	s := programtest.NewBox(t, bin)
	run(t, s, "status")
	place, err := s.Place()
	if err != nil {
		t.Fatal(err)
	}
	a := assignment{
		State: place.State, Workspace: place.Root, Bin: s.Bin, Clients: clients / processes,
		Operations: *operations / clients, Keys: max(16, *operations/perKey), Seed: *seed,
	}
	var workers []*worker
	for i := range processes {
		a.Process = i
		workers = append(workers, startWorker(t, s, a))
	}
	over, disturbed := make(chan struct{}), make(chan disturbances)
	go func() { disturbed <- disturb(place.State, over) }()
	began := time.Now()
	var all []record
	for _, w := range workers {
		var d done
		w.read(t, &d)
		all = append(all, d.History...)
	}
	took := time.Since(began)
	close(over)
	d := <-disturbed
	run(t, s, "memory", "save", theEnd, "--body", "nothing follows")
	sameEvents(t, workers, applied(all)+1)
	t.Logf("%d operations of %d clients in %d processes in %v without an error: %.0f a second, %s; %d owners left, "+
		"%d were killed; seed %d",
		len(all), clients, processes, took.Round(time.Millisecond), float64(len(all))/took.Seconds(), latencies(
			all), d.left, d.killed, *seed)
	if d.killed == 0 || d.err != nil {
		t.Errorf("%d owners were killed: %v", d.killed, d.err)
	}
	began = time.Now()
	if err := linearizable(all); err != nil {
		t.Error(err)
	}
	t.Logf("checked in %v", time.Since(began).Round(time.Millisecond))
	importsAreWhole(t, s, all)
}

// applied returns how many operations of a history changed something: as many events there are.
func applied(history []record) (n int64) {
	for _, r := range history {
		if r.Do == put || r.Do == remove && r.Result != nothing || r.Do == appending && r.Result != refused {
			n++
		}
	}
	return n
}

// sameEvents wants every worker to have seen the same events, want of them.
func sameEvents(t *testing.T, workers []*worker, want int64) {
	t.Helper()
	var first watched
	for i, w := range workers {
		var seen watched
		w.read(t, &seen)
		w.wait(t)
		if i == 0 {
			first = seen
		}
		if seen != first || seen.Events != want {
			t.Errorf("process %d saw %+v, process 0 %+v; %d changes were made", i, seen, first, want)
		}
	}
}

// importsAreWhole wants the session of each import to hold an entry for each append that was accepted.
func importsAreWhole(t *testing.T, s *sandbox.Sandbox, history []record) {
	t.Helper()
	api, err := s.Open(deadlined(t))
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // only read from
	accepted := make(map[string]int64)
	for _, r := range history {
		if r.Do == appending && r.Result != refused {
			accepted[r.Key]++
		}
	}
	for key, n := range accepted {
		got, err := api.Session(deadlined(t), ledger.SessionRequest{Name: key})
		if err != nil || got.Seq != n {
			t.Errorf("%s holds %d entries of %d: %v", key, got.Seq, n, err)
		}
	}
}

// disturbances is what happened to the owners of a ledger.
type disturbances struct {
	left, killed int
	err          error
}

// disturb kills owners, and sends one away now and then, until over is closed. Each time it waits for the
// next owner, however long a busy machine needs for it.
func disturb(state string, over <-chan struct{}) (d disturbances) {
	dice := rand.New(rand.NewPCG(*seed, clients))
	for n := 1; ; n++ {
		shortest := *every / spread
		select {
		case <-over:
			return d
		case <-time.After(shortest + time.Duration(dice.Int64N(int64(*every-shortest)))):
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		st := awaitOwner(ctx, state, over)
		switch {
		case n%asked == 0 && link.Stop(ctx, state) == nil:
			d.left++
		case n%asked != 0 && st.Running && killProcess(st.PID) == nil:
			d.killed++
		}
		awaitOwner(ctx, state, over)
		d.err = ctx.Err()
		cancel()
		if d.err != nil {
			return d
		}
	}
}

// awaitOwner waits until an owner answers. One that is just ending, or beginning on a busy machine, does not.
func awaitOwner(ctx context.Context, state string, over <-chan struct{}) (st daemon.State) {
	for err := error(nil); (err != nil || !st.Running) && ctx.Err() == nil && !closed(over); {
		st, err = daemon.Status(ctx, state)
	}
	return st
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// killProcess ends a process at once, without a chance to tidy up.
func killProcess(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// worker is a process of clients.
type worker struct {
	cmd  *exec.Cmd
	from *gob.Decoder
	said *bytes.Buffer // on its standard error
}

// startWorker starts a process with an assignment. It is killed when the test fails before its end.
func startWorker(t *testing.T, s *sandbox.Sandbox, a assignment) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(a); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{cmd: exec.CommandContext(ctx, self, workerArgument), said: &bytes.Buffer{}}
	w.cmd.Env, w.cmd.Stdin, w.cmd.Stderr = s.Env(), &in, w.said
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	w.from = gob.NewDecoder(out)
	t.Cleanup(func() {
		cancel()
		_ = w.cmd.Wait() // of one that has ended by itself it was reported
	})
	return w
}

// read reads what the worker says next.
func (w *worker) read(t *testing.T, v any) {
	t.Helper()
	if err := w.from.Decode(v); err != nil {
		w.wait(t)
		t.Fatalf("a worker: %v", err)
	}
}

// wait waits for the worker's end.
func (w *worker) wait(t *testing.T) {
	t.Helper()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("a worker: %v: %s", err, w.said)
	}
}
