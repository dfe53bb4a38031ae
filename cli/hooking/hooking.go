// Package hooking runs `ctxledger hook`: it answers one event of a coding agent's hooks.
//
// Start at Main. It reads the event and asks a running daemon what to print (package agents/hook knows). It prints all of
// that or nothing, and whatever goes wrong is one line in a log: agents take what a hook says on standard error, and its
// exit status, for an answer. Package cli deliberately does not know these commands' flags: there are none.
package hooking

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/kv/held"
	"ctxledger.dev/workspace"
)

// Bounds of a hook. Whatever takes longer or is larger is given up: the agent waits.
const (
	most       = 250 * time.Millisecond // from the start to the end, unless Variable says more
	connecting = 5                      // the part of it for connecting to a running daemon: a fifth, 50 ms
	maxLog     = 1 << 20                // bytes of the log before it is replaced
	maxLine    = 500                    // characters of a line of the log
)

// Variable names the environment variable with another time for a hook, in milliseconds, for slow machines.
const (
	Variable = "CTXLEDGER_HOOK_MS"
	longest  = 30 * time.Second
)

// Name is the name of the command.
const Name = "hook"

// Config is what a program hands to Main.
type Config struct {
	Args    []string // of the program, without its name
	Env     env.Env
	Version string
	In      io.Reader
	Out     io.Writer
	Daemon  []string // the command that becomes the daemon; nil: this program
}

// Wanted reports whether arguments run a hook. Then nothing else may happen, not even a message about wrong use.
func Wanted(args []string) bool {
	return len(args) > 0 && args[0] == Name && !slices.Contains(args, "--help") && !slices.Contains(args, "-h")
}

// Main answers an event. It prints everything or nothing, and never fails.
func Main(ctx context.Context, c Config) {
	h := &hooking{Config: c, time: Time(c.Env)}
	ctx, cancel := context.WithTimeout(ctx, h.time)
	defer cancel()
	done := make(chan link.HookAnswer)
	go func() {
		a, err := h.answer(ctx)
		if err != nil {
			h.log(err)
		}
		select {
		case done <- a:
		case <-ctx.Done():
			a.Close()
		}
	}()
	select {
	case a := <-done:
		defer a.Close()
		if _, err := c.Out.Write(a.Out); err == nil { // an agent that does not read it was not told
			a.Told()
		}
	case <-ctx.Done():
		h.log(fault.New(fault.Unavailable, "hook", "no answer within %s", h.time))
	}
}

// Time returns how long an agent waits for a program that it starts often.
func Time(e env.Env) time.Duration {
	if ms, err := strconv.Atoi(e.Lookup(Variable)); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, longest)
	}
	return most
}

// hooking is one run of a hook.
type hooking struct {
	Config
	agent  agentname.Agent        // whose hooks are answered
	state  atomic.Pointer[string] // the state directory, where the log is; nil: not known yet
	time   time.Duration          // that this run may take
	logged sync.Once
}

// answer returns the answer of the daemon, which has to be closed.
func (h *hooking) answer(ctx context.Context) (a link.HookAnswer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "hook", "panic: %.200v", p)
		}
	}()
	n := len(h.Args)
	wanted := n == 3 || n == 4 && filepath.IsAbs(h.Args[3])
	if wanted {
		h.agent = agentname.Named(h.Args[1])
	}
	if h.agent.Hooks == nil || h.Env.Lookup("CURSOR_VERSION") != "" {
		return a, nil // Cursor runs the hooks of Claude Code, too
	}
	place, missing := workspace.Find(h.Env, workspace.Options{})
	if place.Strange == nil { // else nothing is written there
		h.state.Store(&place.State)
	}
	raw, err := io.ReadAll(io.LimitReader(h.In, link.HookInput+1)) // in any case: the agent writes it
	if err != nil {
		return a, fault.Wrap(fault.Unavailable, "hook", err)
	}
	if missing != nil || place.Root == "" || ctx.Err() != nil {
		return a, missing
	}
	event := h.Args[2]
	if place.Strange != nil {
		return link.HookAnswer{Out: undecided(event, place.Undecided())}, nil
	}
	if len(raw) > link.HookInput {
		h.log(fault.New(fault.TooLarge, "hook", "%s: an event of more than %d bytes", event, link.HookInput))
		_, _ = io.Copy(io.Discard, h.In) // so that the agent can write it all
		return a, nil
	}
	if a, err = h.ask(ctx, place, event, raw); err != nil {
		err = fmt.Errorf("%s: %w", event, err)
	}
	return a, err
}

// undecided returns what a session that begins shows the person where the ledger is of another repository: one line, which
// the model does not get. A hook cannot ask.
func undecided(event string, why error) []byte {
	if event != "SessionStart" {
		return nil
	}
	text := fmt.Sprintf("ctxledger: %s; %s", why, fault.HintOf(why))
	out, err := json.Marshal(map[string]string{"systemMessage": text})
	if err != nil {
		return nil // of values that can always be encoded
	}
	return append(out, '\n')
}

// ask has a running daemon answer an event. If there is none, it starts one for the next call and lets this one go.
func (h *hooking) ask(
	ctx context.Context, place workspace.Workspace, event string, input []byte,
) (link.HookAnswer, error) {
	_, offset := h.Env.Now().Zone()
	e := link.HookEvent{Agent: h.agent.Name, Name: event, Root: place.Root, Variables: map[string]string{},
		Offset: offset, Input: input}
	if len(h.Args) > 3 {
		e.Server = h.Args[3]
	}
	for _, name := range slices.Concat(h.agent.Hooks, []string{"SHELL", "TZ"}) { // the daemon's may have other values
		e.Variables[name] = h.Env.Lookup(name)
	}
	o := link.Options{State: place.State, Workspace: cmp.Or(place.Main, place.Root), Env: h.Env,
		Version: h.Version, Binary: h.Daemon}
	a, err := link.Hook(ctx, o, e, h.time/connecting)
	if err != nil && !held.Held(o.State) && startsIn(o.State, h.Env).due() {
		if started := link.Start(o); started != nil {
			err = fmt.Errorf("%w; %w", err, started)
		}
	}
	return a, err
}

// log writes one line about what went wrong, the first time. If that fails, too, the hook stays silent.
func (h *hooking) log(err error) { h.logged.Do(func() { h.write(err) }) }

func (h *hooking) write(err error) {
	state := h.state.Load()
	if state == nil || *state == "" {
		return
	}
	dir := filepath.Join(*state, "log")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	path := filepath.Join(dir, "hook.log")
	f, info, failed := safefs.OpenAppend(path)
	if failed != nil {
		return
	}
	defer f.Close() // a line that is lost is only not read
	if info.Size() > maxLog && os.Rename(path, path+".1") != nil {
		return
	}
	text := redact.New([]byte(h.Env.ID(32))).String(strings.TrimSpace(err.Error()))
	_, _ = fmt.Fprintf(f, "%s %s\n", h.Env.Now().UTC().Format(time.RFC3339), chars.Short(chars.Line(text), maxLine))
}
