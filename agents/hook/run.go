package hook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/config"
	"ctxledger.dev/given/spec"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// Options say what a hook works with.
type Options struct {
	Env  env.Env
	Root string // of the workspace
	// Open returns the ledger of the workspace, which Run does not close. It is called when it is needed.
	Open func(ctx context.Context) (ledger.API, error)
	// Do is what is done besides recording. nil: everything.
	Do *config.Hooks
	// Index names what is listed for reading on demand.
	Index config.Index
	// Given says what agents are given when they start.
	Given spec.Spec
	// Server is the program of our MCP server whose reading tools the person agreed to at install; "": none.
	Server string
	// Contexts are those of the sessions whose hooks run. nil: nothing is known of what came before.
	Contexts *Contexts
	// Read reads at once what the agent has written into a session file. nil: nothing does.
	Read func(ctx context.Context, path string) error
	// Limits say from which length on results are replaced. The zero value: those of package limits.
	Limits ledger.ResultLimits
}

// limits returns from which length on results of a tool are replaced, as far as they are at all.
func (o Options) limits(tool string) ledger.ResultLimits {
	l := o.Limits
	if l == (ledger.ResultLimits{}) {
		l = ledger.ResultLimits{Above: limits.OffloadChars, Repeated: limits.RepeatChars,
			Terminal: limits.TerminalChars}
	}
	large := o.Do.Large
	switch tool {
	case hooks.Read:
		large = o.Do.Reads
	case hooks.Bash:
		large = o.Do.Outputs
	}
	if !large {
		l.Above = 0
	}
	if !o.Do.Repeats {
		l.Repeated = 0
	}
	if !o.Do.Terminal {
		l.Terminal = 0
	}
	return l
}

// run is one run of a hook.
type run struct {
	Options
	event hooks.Event
	live  ledger.LiveSession
	api   ledger.API
	known *live

	work     sync.WaitGroup // documents being made
	claimed  []telling      // what no other hook prints meanwhile
	digests  []string       // of these, what the context has when it is written
	rivalled bool           // another hook prints something that this one would have
	later    []func(ctx context.Context, told bool) error
}

// Answer is the answer to an event.
type Answer struct {
	Out []byte // what is to be printed, nil for nothing
	// After does what the agent does not wait for, and records what it was told, if told says that Out was written. It has
	// to be called once, after an error, too.
	After func(ctx context.Context, told bool) error
}

// Run answers an event of Claude Code. raw is what the hook was given. An event that is unknown or lacks something needs
// nothing, and is no error. ctx lasts as long as the agent waits, and bounds what is made for the answer; what is recorded
// is recorded all the same.
func Run(ctx context.Context, o Options, name string, raw []byte) (Answer, error) {
	e, ok := hooks.Decode(name, raw)
	nothing := Answer{After: func(context.Context, bool) error { return nil }}
	switch {
	case ok:
	case !json.Valid(raw):
		return nothing, fault.New(fault.Invalid, "hook.run", "standard input has %d bytes and is not JSON", len(raw))
	default:
		return nothing, nil
	}
	act := map[string]struct {
		answer func(*run, context.Context) ([]byte, error)
		opens  bool // the ledger before, in any case
	}{
		hooks.SessionStart:     {(*run).begin, true},
		hooks.SubagentStart:    {(*run).started, false},
		hooks.UserPromptSubmit: {(*run).prompted, false},
		hooks.PreToolUse:       {(*run).before, false},
		hooks.PostToolUse:      {(*run).after, false},
		hooks.PreCompact:       {(*run).compacting, true},
		hooks.PostCompact:      {(*run).compacted, true},
		hooks.SessionEnd:       {(*run).end, true},
	}[name]
	if o.Do == nil {
		all := config.AllHooks()
		o.Do = &all
	}
	if o.Contexts == nil {
		o.Contexts = new(Contexts)
	}
	r := &run{Options: o, event: e}
	id, parent := e.HostID()
	r.live = ledger.LiveSession{Host: string(claudecode.Name), HostID: id, Parent: parent, Dir: e.Dir,
		Agent: e.AgentType}
	r.known = r.Contexts.live(id)
	soon, cancel := answering(ctx)
	defer cancel()
	a := Answer{After: r.finish}
	var err error
	if act.opens {
		err = r.open(soon)
	}
	if err == nil {
		a.Out, err = act.answer(r, soon)
	}
	return a, err
}

// answering returns the context in which an answer is made: what is left of the time is for its way to the agent.
func answering(ctx context.Context) (context.Context, context.CancelFunc) {
	until, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(until)*4/5)
}

// finish does what was left for after the answer.
func (r *run) finish(ctx context.Context, told bool) error {
	errs := []error{r.release(ctx, told)} // first: the next hook may come at once
	for _, do := range r.later {
		errs = append(errs, do(ctx, told))
	}
	r.work.Wait()
	return errors.Join(errs...)
}

// open opens the ledger.
func (r *run) open(ctx context.Context) (err error) {
	r.api, err = r.Open(ctx)
	return err
}

// asks records which session makes a call of one of our tools, whose host names only the call.
func (r *run) asks(ctx context.Context) error {
	if !strings.HasPrefix(r.event.Tool, "mcp__") || !r.ours() {
		return nil
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	_, err := r.beginCall(ctx)
	return err
}

// beginCall records that a call begins.
func (r *run) beginCall(ctx context.Context) (ledger.BegunCall, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	return r.api.BeginCall(ctx, ledger.BeginCallRequest{LiveSession: r.live, CallID: r.event.CallID,
		Tool: r.event.Tool, Args: r.event.Input})
}

// before answers PreToolUse.
func (r *run) before(ctx context.Context) ([]byte, error) {
	if err := r.asks(ctx); err != nil {
		return nil, err
	}
	if r.agreed() {
		return r.event.Allow(), nil
	}
	if !intents.Classify(r.event.Tool, r.event.Input).Tracked() {
		return nil, nil
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if r.Do.Markers {
		refusal, err := r.guard(ctx)
		if err != nil {
			return nil, err
		}
		if refusal != "" {
			masked, err := r.api.Mask(ctx, ledger.MaskRequest{Text: refusal})
			return r.event.Deny(masked.Text), err
		}
	}
	call, err := r.beginCall(ctx)
	if err != nil {
		return nil, err
	}
	return r.notes(ctx, call)
}

// notes returns what is said before a call: that its file changed, and what the context lost in a compaction. A call does
// not wait for that to be made.
func (r *run) notes(ctx context.Context, call ledger.BegunCall) ([]byte, error) {
	var notes []string
	if call.Stale != nil && r.Do.Stale && r.outOfDate(ctx, call) {
		masked, err := r.api.Mask(ctx, ledger.MaskRequest{Text: staleNote(*call.Stale)})
		if err != nil {
			return nil, err
		}
		notes = append(notes, masked.Text)
	}
	if r.Do.Record && call.Owes {
		s, err := r.api.Session(ctx, ledger.SessionRequest{Name: call.Session})
		if err != nil {
			return nil, err
		}
		soon, cancel := context.WithTimeout(ctx, slow)
		defer cancel()
		told, err := r.tellOwed(soon, s)
		if err != nil {
			return nil, err
		}
		notes = append(notes, told...)
	}
	return r.event.Note(strings.Join(notes, "\n\n")), nil
}

// end answers SessionEnd: who asks next asks for the session that has ended.
func (r *run) end(ctx context.Context) ([]byte, error) {
	_, err := r.note(ctx, ledger.NoteStageRequest{Stage: ledger.StageEnded})
	return nil, errors.Join(err, r.read(ctx))
}

// note records a stage.
func (r *run) note(ctx context.Context, stage ledger.NoteStageRequest) (ledger.NotedStage, error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	stage.LiveSession = r.live
	return r.api.NoteStage(ctx, stage)
}

// read has the session file read as far as it is written.
func (r *run) read(ctx context.Context) error {
	if r.Read == nil || r.event.File() == "" {
		return nil
	}
	return r.Read(ctx, r.event.File())
}
