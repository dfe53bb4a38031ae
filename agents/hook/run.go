package hook

import (
	"context"
	"encoding/json"
	"strings"

	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// Options say what a hook works with.
type Options struct {
	Env  env.Env
	Root string // of the workspace
	// Open returns the ledger of the workspace, which Run does not close. It is called when it is needed.
	Open func(ctx context.Context) (ledger.API, error)
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
		hooks.SessionStart: (*run).begin,
		hooks.PreToolUse:   (*run).before,
		hooks.PostToolUse:  (*run).after,
		hooks.PreCompact:   (*run).compacting,
		hooks.PostCompact:  (*run).compacted,
		hooks.SessionEnd:   (*run).end,
	}[name]
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
	if !intents.Classify(r.event.Tool, r.event.Input).Tracked() {
		return nil, nil
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	refusal, err := r.guard(ctx)
	if err != nil || refusal != "" {
		return r.event.Deny(refusal), err
	}
	call, err := r.api.BeginCall(ctx, ledger.BeginCallRequest{LiveSession: r.live, CallID: r.event.CallID,
		Tool: r.event.Tool, Args: r.event.Input})
	if err != nil {
		return nil, err
	}
	var notes []string
	if call.Stale != nil {
		notes = append(notes, staleNote(*call.Stale))
	}
	owed, err := r.owed(ctx, sessions.Session{ID: call.Session}, call.Owed)
	if err != nil {
		return nil, err
	}
	if owed.text != "" {
		notes = append(notes, owed.text)
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
