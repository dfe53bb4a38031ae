package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/engine/upkeep"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

const (
	killsPerLedger = 8  // then a fresh one: what is compared stays small
	enough         = 20 // operations that an owner acknowledges before it dies
	clients        = 2  // connections for the work
)

// Bounds of waiting. They are far beyond what anything takes.
const (
	patience = time.Minute
	rivalry  = 60 * time.Millisecond // in which a second owner would start, if it could
)

// series is one ledger with its cast, and the owners that it has had.
type series struct {
	o         Options
	n         int // of its lane
	plan      *plan
	report    *Report
	dir       string // of the series, with everything in it
	state     string
	workspace string
	random    *rand.Rand
	cast      []*performer
}

// newSeries makes the n-th series of a lane.
func newSeries(o Options, p *plan, r *Report, lane, n int) (*series, error) {
	s := &series{o: o, n: n, plan: p, report: r, dir: filepath.Join(o.Dir, fmt.Sprintf("%d-%d", lane, n))}
	s.state, s.workspace = filepath.Join(s.dir, "state"), filepath.Join(s.dir, "workspace")
	if err := os.MkdirAll(s.workspace, 0o700); err != nil {
		return nil, err
	}
	source := func(stream int) *rand.Rand {
		return rand.New(rand.NewPCG(o.Seed, uint64(lane)<<40|uint64(n)<<8|uint64(stream)))
	}
	s.random = source(0)
	for i, a := range s.actors() {
		s.cast = append(s.cast, &performer{name: fmt.Sprintf("%T %d", a, i), actor: a, random: source(1 + i)})
	}
	// Housekeeping costs much, and little of it would meet a death that comes at any time.
	j := &janitor{name: "janitor", now: s.o.Env.Now, state: s.state, dir: s.dir}
	s.cast = append(s.cast, &performer{name: "janitor", actor: j, random: source(0xff), late: true})
	return s, nil
}

// actors returns the cast of a series.
func (s *series) actors() []actor {
	began := s.o.Env.Now()
	return []actor{
		newTalker("talker-a"), newTalker("talker-b"),
		newRecorder("recorder-a", began), newRecorder("recorder-b", began),
		newKeeper("keeper"),
		&collector{name: "collector-a"}, &collector{name: "collector-b"},
		&importer{path: filepath.Join(s.dir, "session.jsonl"), content: s.o.Session},
	}
}

// run kills owners until the series is over, and then looks at what is left.
func (s *series) run(ctx context.Context) error {
	for kill := 0; kill < killsPerLedger && s.plan.take(); kill++ {
		if err := s.life(ctx, kill); err != nil {
			return fmt.Errorf("owner %d: %w", kill+1, err)
		}
	}
	return s.end(ctx)
}

// life starts an owner, compares what its predecessor left, lets it work and kills it.
func (s *series) life(ctx context.Context, kill int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, err := s.start(ctx, kill)
	if err != nil {
		return err
	}
	defer o.kill()
	apis, hangUp, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	if err := s.check(ctx, apis); err != nil {
		return err
	}
	return s.work(ctx, o, apis, s.plan.atWork(kill, s.random))
}

// audit checks a ledger without an owner: pages, envelopes, and the references between records.
func (s *series) audit(ctx context.Context) error {
	found, err := upkeep.Check(ctx, engine.Options{State: s.state, Env: s.o.Env})
	if err == nil && found.Total > 0 {
		err = violated("%d things are wrong with the ledger: %s", found.Total, text(found.Damage))
	}
	return err
}

// start starts an owner; in some lives after one that dies on the way, or against a rival.
func (s *series) start(ctx context.Context, kill int) (*owner, error) {
	if kill == killsPerLedger/4 {
		if err := s.audit(ctx); err != nil {
			return nil, err
		}
	}
	if at := s.plan.atStart(s.n, kill); at != "" {
		if err := s.dieStarting(ctx, at); err != nil {
			return nil, err
		}
	}
	o, err := startOwner(s.o.Program, s.state, s.workspace, none)
	if err != nil {
		return nil, err
	}
	if err = o.ready(ctx); err == nil && kill == killsPerLedger/2 && s.n%2 == 0 {
		err = s.rival(ctx)
	}
	if err != nil {
		o.kill()
	}
	return o, err
}

// dieStarting starts an owner that dies at a failpoint before it serves.
func (s *series) dieStarting(ctx context.Context, at string) error {
	if phaseOf(at) == failpoint.Migrate {
		if err := makeOld(ctx, s.state); err != nil {
			return err
		}
	}
	o, err := startOwner(s.o.Program, s.state, s.workspace, at)
	if err != nil {
		return err
	}
	defer o.kill()
	if err := o.ready(ctx); !errors.Is(err, errDied) {
		return fmt.Errorf("an owner was to die at %s, and: %w", at, errors.Join(err, errUnreached))
	}
	s.report.died(at)
	return nil
}

var errUnreached = errors.New("the failpoint was not reached")

// rival checks that there is no second owner, and that none has replaced the first one without announcing itself.
func (s *series) rival(ctx context.Context) error {
	o, err := startOwner(s.o.Program, s.state, s.workspace, none)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, rivalry)
	defer cancel()
	err = o.ready(short)
	o.kill()
	if err == nil {
		return violated("two owners serve the ledger at once")
	}
	_, hangUp, err := s.dial(ctx)
	if err != nil {
		return violated("a second owner has taken the place of the first: %w", err)
	}
	hangUp()
	return nil
}

// dial connects clients to the owner. They start no other.
func (s *series) dial(ctx context.Context) (apis []ledger.API, hangUp func(), err error) {
	hangUp = func() {
		for _, api := range apis {
			_ = api.Close() // its owner may be dead
		}
	}
	for range clients {
		api, err := daemon.Open(ctx, daemon.Options{
			State: s.state, Workspace: s.workspace, Env: s.o.Env, Version: "crashtest", NoSpawn: true,
		})
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		apis = append(apis, api)
	}
	return apis, hangUp, nil
}

// check compares the ledger with the models of the cast, and repeats some operations.
func (s *series) check(ctx context.Context, apis []ledger.API) error {
	if err := s.leftovers(); err != nil {
		return err
	}
	all, err := takeInventory(ctx, apis[0])
	if err != nil {
		return err
	}
	err = s.each(apis, func(p *performer, api ledger.API) error {
		return errors.Join(p.check(ctx, api, all), p.repeat(ctx, api))
	})
	return errors.Join(err, all.unclaimed())
}

// each runs fn for the whole cast at once.
func (s *series) each(apis []ledger.API, fn func(*performer, ledger.API) error) error {
	var work sync.WaitGroup
	errs := make([]error, len(s.cast))
	for i, p := range s.cast {
		work.Go(func() { errs[i] = fn(p, apis[i%len(apis)]) })
	}
	work.Wait()
	return errors.Join(errs...)
}

// work lets the cast work until the owner has acknowledged enough, and the owner die as planned.
func (s *series) work(ctx context.Context, o *owner, apis []ledger.API, d death) error {
	c := &counter{enough: make(chan struct{}), dead: o.dead, counts: map[string]int{}}
	idle := make(chan struct{})
	var failed error // written before idle is closed
	go func() {
		defer close(idle)
		failed = s.each(apis, func(p *performer, api ledger.API) error { return p.work(ctx, api, c) })
	}()
	select {
	case <-c.enough:
	case <-o.dead:
	case <-ctx.Done():
	}
	err := s.finish(ctx, o, d)
	<-idle
	s.report.lived(c.counts)
	if err == nil && c.total < enough {
		err = fmt.Errorf("only %d operations were acknowledged", c.total)
	}
	return errors.Join(failed, err)
}

// finish makes the owner die.
func (s *series) finish(ctx context.Context, o *owner, d death) error {
	defer o.kill()
	if d.at == "" {
		select {
		case <-time.After(d.after):
		case <-o.dead:
			return violated("the owner ended by itself")
		}
		return nil
	}
	if err := o.order(d.at); err != nil {
		return err
	}
	if d.leave {
		if err := link.Stop(ctx, s.state); err != nil && !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
	select {
	case <-o.dead:
	case <-ctx.Done():
	}
	if !o.killed() {
		return fmt.Errorf("%s: %w", d.at, errUnreached)
	}
	s.report.died(d.at)
	return nil
}

// counter counts what one owner acknowledges.
type counter struct {
	enough chan struct{} // closed when that is enough
	dead   chan struct{} // closed when the owner has ended

	mu     sync.Mutex
	total  int            // guarded by mu
	counts map[string]int // guarded by mu; by operation
}

func (c *counter) acked(op string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[op]++
	if c.total++; c.total == enough {
		close(c.enough)
	}
}

// end looks at what the last owner left, and lets one more leave in good order: nothing is left over.
func (s *series) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, err := startOwner(s.o.Program, s.state, s.workspace, none)
	if err != nil {
		return err
	}
	defer o.kill()
	if err := o.ready(ctx); err != nil {
		return err
	}
	apis, hangUp, err := s.dial(ctx)
	if err != nil {
		return err
	}
	err = s.check(ctx, apis)
	hangUp()
	if err = errors.Join(err, link.Stop(ctx, s.state)); err != nil {
		return err
	}
	<-o.dead
	if err := errors.Join(s.leftovers("owner.json", "owner.sock"), s.audit(ctx)); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}

// leftovers returns an error when the state directory holds a temporary file of an owner for long: an owner finishes a
// forgetting that was cut off in the background.
func (s *series) leftovers(names ...string) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		err := s.left(names)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-late:
			return err
		}
	}
}

func (s *series) left(names []string) error {
	return filepath.WalkDir(s.state, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if err == nil && (unfinished(name) || slices.Contains(names, name)) {
			err = violated("%s was left over", path)
		}
		return err
	})
}

// unfinished reports whether a name is that of a file that is being made.
func unfinished(name string) bool {
	return strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".partial") || strings.Contains(name, ".new")
}
