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
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
)

const (
	killsPerLedger = 8  // then a fresh one: what is compared stays small
	enough         = 20 // operations that an owner acknowledges before it dies
	clients        = 2  // connections for the work
	startDeaths    = 4  // every how many-th owner has one before it that dies while starting
)

// Bounds of waiting. They are far beyond what anything takes.
const (
	patience = time.Minute
	rivalry  = 60 * time.Millisecond // in which a second owner would start, if it could
)

// series is one ledger with its cast, and the owners that it has had.
type series struct {
	o         Options
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
	s := &series{o: o, plan: p, report: r, dir: filepath.Join(o.Dir, fmt.Sprintf("%d-%d", lane, n))}
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
	return s, nil
}

// actors returns the cast of a series.
func (s *series) actors() []actor {
	began := s.o.Env.Now()
	return []actor{
		newTalker("talker-a"), newTalker("talker-b"), newTalker("talker-c"),
		newRecorder("recorder-a", began), newRecorder("recorder-b", began),
		newKeeper("keeper-a"), newKeeper("keeper-b"),
		&collector{name: "collector-a"}, &collector{name: "collector-b"},
		&janitor{name: "janitor", state: s.state, dir: s.dir},
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

// start starts an owner; in some lives after one that dies on the way, or against a rival.
func (s *series) start(ctx context.Context, kill int) (*owner, error) {
	if kill%startDeaths == 0 {
		if err := s.dieStarting(ctx, s.plan.atStart(s.phase(kill))); err != nil {
			return nil, err
		}
	}
	o, err := startOwner(s.o.Program, s.state, s.workspace, order{})
	if err != nil {
		return nil, err
	}
	if err = o.ready(ctx); err == nil && kill == killsPerLedger/2 {
		err = s.rival()
	}
	if err != nil {
		o.kill()
	}
	return o, err
}

// phase says what the owner does that dies starting before a kill.
func (s *series) phase(kill int) failpoint.Phase {
	switch {
	case kill == 0:
		return failpoint.Create
	case s.random.IntN(2) == 0:
		return failpoint.Open
	}
	return failpoint.Migrate
}

// dieStarting starts an owner that dies at a failpoint before it serves.
func (s *series) dieStarting(ctx context.Context, at order) error {
	if phaseOf(at.point) == failpoint.Migrate {
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
		return fmt.Errorf("an owner was to die at %s, and: %w", at.point, errors.Join(err, errUnreached))
	}
	s.report.died(at.point)
	return nil
}

var errUnreached = errors.New("the failpoint was not reached")

// rival makes sure that there is no second owner beside the first.
func (s *series) rival() error {
	o, err := startOwner(s.o.Program, s.state, s.workspace, order{})
	if err != nil {
		return err
	}
	defer o.kill()
	ctx, cancel := context.WithTimeout(context.Background(), rivalry)
	defer cancel()
	if err := o.ready(ctx); err == nil {
		return errors.New("two owners serve the ledger at once")
	}
	return nil
}

// dial connects clients to the owner. They start no other.
func (s *series) dial(ctx context.Context) (apis []engine.API, hangUp func(), err error) {
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
func (s *series) check(ctx context.Context, apis []engine.API) error {
	if err := s.leftovers(); err != nil {
		return err
	}
	all, err := takeInventory(ctx, apis[0])
	if err != nil {
		return err
	}
	err = s.each(apis, func(p *performer, api engine.API) error {
		return errors.Join(p.check(ctx, api, all), p.repeat(ctx, api))
	})
	return errors.Join(err, all.unclaimed())
}

// each runs fn for the whole cast at once.
func (s *series) each(apis []engine.API, fn func(*performer, engine.API) error) error {
	var work sync.WaitGroup
	errs := make([]error, len(s.cast))
	for i, p := range s.cast {
		work.Go(func() { errs[i] = fn(p, apis[i%len(apis)]) })
	}
	work.Wait()
	return errors.Join(errs...)
}

// work lets the cast work until the owner has acknowledged enough, and the owner die as planned.
func (s *series) work(ctx context.Context, o *owner, apis []engine.API, d death) error {
	c := &counter{enough: make(chan struct{}), counts: map[string]int{}}
	idle := make(chan struct{})
	var failed error // written before idle is closed
	go func() {
		defer close(idle)
		failed = s.each(apis, func(p *performer, api engine.API) error { return p.work(ctx, api, c.acked) })
	}()
	select {
	case <-c.enough:
	case <-idle:
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
	if d.at.point == "" {
		select {
		case <-time.After(d.after):
		case <-o.dead:
			return errors.New("the owner ended by itself")
		}
		return nil
	}
	if err := o.order(d.at); err != nil {
		return err
	}
	if d.leave {
		if err := daemon.Stop(ctx, s.state); err != nil && !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
	select {
	case <-o.dead:
	case <-ctx.Done():
	}
	if !o.killed() {
		return fmt.Errorf("%s: %w", d.at.point, errUnreached)
	}
	s.report.died(d.at.point)
	return nil
}

// counter counts what one owner acknowledges.
type counter struct {
	enough chan struct{} // closed when that is enough

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
	o, err := startOwner(s.o.Program, s.state, s.workspace, order{})
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
	if err = errors.Join(err, daemon.Stop(ctx, s.state)); err != nil {
		return err
	}
	<-o.dead
	if err := s.leftovers("owner.json", "owner.sock"); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}

// leftovers returns an error when a file lies in the state directory that an owner only works with.
func (s *series) leftovers(names ...string) error {
	return filepath.WalkDir(s.state, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if err == nil && (unfinished(name) || slices.Contains(names, name)) {
			err = fmt.Errorf("%s was left over", path)
		}
		return err
	})
}

// unfinished reports whether a name is that of a file that is being made.
func unfinished(name string) bool {
	return strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".partial") || strings.Contains(name, ".new")
}
