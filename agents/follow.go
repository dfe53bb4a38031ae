package agents

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pulse"
)

// FollowOptions says what to follow. All fields but the first may be empty.
type FollowOptions struct {
	// Workspace is the root directory whose sessions are followed, with all trees that share its ledger: those
	// that an agent was started for there or in a subdirectory that is no workspace of its own. Sessions of
	// other directories, whatever the names of their files, are left alone.
	Workspace string
	// Skip reports whether the sessions of a tree are left alone; nil: of none.
	Skip func(tree string) bool
	// Env has the directories of the agents, and the clock.
	Env env.Env
	// Log gets what went wrong with single files; nil: nothing is logged.
	Log *slog.Logger
	// Watch gives the watchers; nil: one of its own, which uses up one more of the system's.
	Watch *watch.Shared
	// Tick says when to look again at what cannot be watched and to try again what failed; nil:
	// every two seconds.
	Tick <-chan time.Time
	// Reads are, for each agent that says so, its files to be read now, without waiting for the system to say that they have
	// changed.
	Reads map[sessionfile.Agent]chan Asked
	// Pulse, if set, shows whether the following makes progress.
	Pulse *pulse.Pulse
	// Report, if set, is called after entries were appended, for each agent from a goroutine of its own.
	Report func(Report)
}

// Asked asks a follower to read a session file as far as it is written, if it is one that is followed.
type Asked struct {
	Path string
	Done chan<- struct{} // closed when it was read
}

// Timing of following.
const (
	// recent is how new a file must be to be imported without having changed: older sessions
	// are history, imported when someone asks.
	recent = 24 * time.Hour
	// treeTicks is after how many ticks trees are looked for that came or went without a session.
	treeTicks = 15
)

// Follow brings every session file of a workspace into the ledger, and everything that agents append
// to one while ctx lasts: at once, as one batch for what was written meanwhile. Files that were not
// touched for a day are read when they change. No agent's directory needs to exist yet, and worktrees
// of the repository may come and go.
//
// Trouble with a file, with the watching or with the ledger is logged and tried again when it can
// be over; it ends nothing. Follow returns nil when ctx ends, and invalid without a workspace.
func Follow(ctx context.Context, api Ledger, o FollowOptions) error {
	if o.Workspace == "" {
		return fault.New(fault.Invalid, "agents.follow", "no workspace to follow")
	}
	var agents sync.WaitGroup
	if o.Watch == nil {
		o.Watch = watch.NewShared(watch.Options{Log: o.Log, Now: o.Env.Now}) // of all agents
	}
	all := followers(api, o)
	ticks := shared(ctx, &agents, o.Tick, len(all))
	for i, f := range all {
		part, end := o.Pulse.Part()
		agents.Go(func() {
			defer end()
			f.pulse, f.o.Tick = part, ticks[i]
			defer f.close()
			f.start()
			f.list()
			f.loop(ctx)
		})
	}
	o.Pulse.Rest()
	agents.Wait()
	return nil
}

// followers returns one for each place in which agents keep sessions.
func followers(api Ledger, o FollowOptions) (all []*follower) {
	for _, a := range Adapters() {
		for i, base := range a.Bases(o.Env) {
			f := newFollower(api, a, o)
			if f.base = base; i > 0 {
				f.reads = nil
			}
			all = append(all, f)
		}
	}
	return all
}

// shared returns n channels that each get every tick while ctx lasts; nil channels without ticks.
func shared(ctx context.Context, owner *sync.WaitGroup, ticks <-chan time.Time, n int) []<-chan time.Time {
	out, to := make([]<-chan time.Time, n), make([]chan time.Time, n)
	if ticks == nil {
		return out
	}
	for i := range to {
		to[i] = make(chan time.Time)
		out[i] = to[i]
	}
	owner.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case at := <-ticks:
				for _, one := range to {
					select {
					case <-ctx.Done():
						return
					case one <- at:
					}
				}
			}
		}
	})
	return out
}

// FollowFile imports one session file, and then what is appended to it while ctx lasts. It
// returns nil when ctx ends. Errors of the first import are those of Import; later trouble is
// treated as by Follow. Options.Workspace is not looked at.
func FollowFile(ctx context.Context, api Ledger, src Source, o FollowOptions) error {
	path, err := src.real()
	if err != nil {
		return err
	}
	o.Workspace = ""
	f := newFollower(api, sessionfile.Adapter{}, o)
	f.base, f.only = filepath.Dir(path), path
	defer f.close()
	f.start()
	im := f.importer(path)
	im.budget = 0
	rep, err := im.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	im.budget = runBatches
	f.report(rep)
	f.touch(path) // written to since
	f.loop(ctx)
	return nil
}
