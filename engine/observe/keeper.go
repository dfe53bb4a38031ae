package observe

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
)

const (
	// treePause is the least time between two updates of the trees.
	treePause = time.Second
	// treeLook is the time without updates after which the trees are listed: they come and go without a session.
	treeLook = 30 * time.Second
)

// keeper runs an observer for every observed tree.
type keeper struct {
	ledger  Ledger
	info    ledger.Info
	o       Options
	started time.Time
	running []*job
	touched []string     // trees that sessions touched, the most recent first
	cursor  int64        // of touched
	parts   atomic.Int64 // running observers, which share the watches
}

// job is one running observer.
type job struct {
	scope scope
	stop  context.CancelFunc
	ended chan struct{}
}

// loop updates the trees whenever sessions have grown, until ctx ends.
func (k *keeper) loop(ctx context.Context, updates <-chan struct{}) {
	timer := time.NewTicker(treeLook)
	defer timer.Stop()
	defer k.halt(func(*job) bool { return true })
	for ctx.Err() == nil {
		k.update(ctx)
		k.o.Pulse.Rest()
		env.Sleep(ctx, treePause)
		select {
		case <-ctx.Done():
		case <-updates:
		case <-timer.C:
		}
		k.o.Pulse.Beat()
	}
}

// update begins and ends the observation of trees.
func (k *keeper) update(ctx context.Context) {
	resp, err := k.ledger.Touched(ctx, ledger.TouchedRequest{After: k.cursor, Trees: true})
	if err != nil {
		k.o.Log.Debug("the touched trees are not known", "error", err) // the next update tries again
	} else {
		k.cursor = resp.Next
		old := slices.DeleteFunc(k.touched, func(t string) bool { return slices.Contains(resp.Trees, t) })
		k.touched = append(resp.Trees, old...)
	}
	trees := k.o.Trees()
	k.touched = slices.DeleteFunc(k.touched, func(t string) bool { return !slices.Contains(trees, t) })
	wanted := scopes(k.info.Workspace, trees, k.touched, k.o.Skip)
	k.halt(func(j *job) bool { return !slices.ContainsFunc(wanted, j.scope.equal) })
	for _, s := range wanted {
		if !slices.ContainsFunc(k.running, func(j *job) bool { return s.equal(j.scope) }) {
			k.begin(ctx, s)
		}
	}
}

// halt stops observers and waits for them.
func (k *keeper) halt(which func(*job) bool) {
	var ending []*job
	k.running = slices.DeleteFunc(k.running, func(j *job) bool {
		if !which(j) {
			return false
		}
		j.stop()
		ending = append(ending, j)
		return true
	})
	for _, j := range ending {
		<-j.ended
	}
}

// begin observes a tree. One that cannot be opened is tried again at the next update.
func (k *keeper) begin(ctx context.Context, s scope) {
	o := k.o
	pulse, end := k.o.Pulse.Part()
	o.Pulse = pulse
	ob, err := newObserver(k.ledger, k.info.State, s, o)
	if err != nil {
		end()
		k.o.Log.Warn("a tree cannot be observed yet", "tree", s.root, "error", err)
		return
	}
	ob.started, ob.dirs.parts = k.started, &k.parts
	ctx, stop := context.WithCancel(ctx)
	j := &job{scope: s, stop: stop, ended: make(chan struct{})}
	k.running = append(k.running, j)
	k.parts.Add(1)
	go func() {
		defer close(j.ended)
		defer end()
		defer k.parts.Add(-1)
		defer ob.close()
		updates, unlisten := listen(ctx, k.ledger)
		defer unlisten()
		ob.loop(ctx, updates)
	}()
}
