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
	// treePause is how long after a look at which trees there are the next one may follow.
	treePause = time.Second
	// treeLook is after how long without news the trees are looked at: they come and go without a session.
	treeLook = 30 * time.Second
)

// keeper keeps an observer at work for every tree that is to be observed.
type keeper struct {
	ledger  Ledger
	info    ledger.Info
	o       Options
	started time.Time
	running []*job
	touched []string     // trees that sessions touched, the last first
	cursor  int64        // of touched
	parts   atomic.Int64 // observers at work: they share the watches
}

// job is one observer at work.
type job struct {
	scope scope
	stop  context.CancelFunc
	ended chan struct{}
}

// loop looks which trees there are, whenever sessions have gone on, until ctx ends.
func (k *keeper) loop(ctx context.Context, news <-chan struct{}) {
	timer := time.NewTicker(treeLook)
	defer timer.Stop()
	defer k.halt(func(*job) bool { return true })
	for ctx.Err() == nil {
		k.update(ctx)
		k.o.Pulse.Rest()
		env.Sleep(ctx, treePause)
		select {
		case <-ctx.Done():
		case <-news:
		case <-timer.C:
		}
		k.o.Pulse.Beat()
	}
}

// update begins and ends the observation of trees.
func (k *keeper) update(ctx context.Context) {
	resp, err := k.ledger.Touched(ctx, ledger.TouchedRequest{After: k.cursor, Trees: true})
	if err != nil {
		k.o.Log.Debug("the touched trees are not known", "error", err) // the next look tells
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

// halt ends observers and waits for their end.
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

// begin observes a tree. One that cannot be opened is tried again with the next look.
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
		news, unlisten := listen(ctx, k.ledger)
		defer unlisten()
		ob.loop(ctx, news)
	}()
}
