package hook

import (
	"context"
	"encoding/json"
	"strings"

	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/config"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
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
	// Server is the program of our MCP server whose reading tools the person agreed to at install; "": none.
	Server string
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
}

// Run answers an event of Claude Code with what is to be printed, nil for nothing. raw is what the hook was given. An
// event that is unknown or lacks something needs nothing, and is no error.
func Run(ctx context.Context, o Options, name string, raw []byte) ([]byte, error) {
	e, ok := hooks.Decode(name, raw)
	switch {
	case ok:
	case !json.Valid(raw):
		return nil, fault.New(fault.Invalid, "hook.run", "standard input has %d bytes and is not JSON", len(raw))
	default:
		return nil, nil
	}
	act := map[string]func(*run, context.Context) ([]byte, error){
		hooks.SessionStart:     (*run).begin,
		hooks.UserPromptSubmit: (*run).prompted,
		hooks.PreToolUse:       (*run).before,
		hooks.PostToolUse:      (*run).after,
		hooks.PreCompact:       (*run).compacting,
		hooks.PostCompact:      (*run).compacted,
		hooks.SessionEnd:       (*run).end,
	}[name]
	if o.Do == nil {
		all := config.AllHooks()
		o.Do = &all
	}
	r := &run{Options: o, event: e}
	id, parent := e.HostID()
	r.live = ledger.LiveSession{Host: string(sessionfile.ClaudeCode), HostID: id, Parent: parent, Dir: e.Dir}
	return act(r, ctx)
}

// open opens the ledger.
func (r *run) open(ctx context.Context) (err error) {
	r.api, err = r.Open(ctx)
	return err
}

// before answers PreToolUse.
func (r *run) before(ctx context.Context) ([]byte, error) {
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
	call, err := r.api.BeginCall(ctx, ledger.BeginCallRequest{LiveSession: r.live, CallID: r.event.CallID,
		Tool: r.event.Tool, Args: r.event.Input})
	if err != nil {
		return nil, err
	}
	return r.notes(ctx, call)
}

// notes returns what is said before a call: that its file changed, and what the context lost in a compaction.
func (r *run) notes(ctx context.Context, call ledger.BegunCall) ([]byte, error) {
	var notes []string
	if call.Stale != nil && r.Do.Stale {
		masked, err := r.api.Mask(ctx, ledger.MaskRequest{Text: staleNote(*call.Stale)})
		if err != nil {
			return nil, err
		}
		notes = append(notes, masked.Text)
	}
	if r.Do.Record {
		owed, err := r.owed(ctx, sessions.Session{ID: call.Session}, call.Owed)
		if err != nil {
			return nil, err
		}
		if text := owed.alone(); text != "" {
			notes = append(notes, text)
		}
	}
	return r.event.Note(strings.Join(notes, "\n\n")), nil
}

// end answers SessionEnd.
func (r *run) end(ctx context.Context) ([]byte, error) {
	return nil, r.note(ctx, ledger.StageEnded)
}

// note records a stage.
func (r *run) note(ctx context.Context, stage ledger.Stage) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	_, err := r.api.NoteStage(ctx, ledger.NoteStageRequest{LiveSession: r.live, Stage: stage})
	return err
}
