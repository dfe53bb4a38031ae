package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents/hook"
	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
	"ctxledger.dev/workspace"
)

// Bounds of a hook. Whatever takes longer or is larger is given up: the agent waits.
const (
	hookTime    = 250 * time.Millisecond // from the start to the end, unless hookVariable says more
	hookConnect = 5                      // the part of it for connecting to a running daemon: a fifth, 50 ms
	hookInput   = 8 << 20                // bytes of standard input
	hookLog     = 1 << 20                // bytes of the log before it is replaced
	hookLine    = 500                    // characters of a line of the log
)

// hookVariable names the environment variable with another time for a hook, in milliseconds, for slow machines.
const (
	hookVariable = "CTXLEDGER_HOOK_MS"
	hookLongest  = 30 * time.Second
)

// hookName is the name of the command, and hookAgent that of the one agent whose hooks it answers.
const (
	hookName  = "hook"
	hookAgent = "claude-code"
)

// hookCommand documents the command for the help; runHook runs it.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   hookName + " AGENT EVENT",
		Short: "Answer a hook of a coding agent (its settings call it)",
		Long: "Answers one event of an agent's hooks: it reads the event's JSON from standard input and prints what the\n" +
			"agent expects, or nothing. It always ends with status 0, within a quarter of a second.",
		Example: "  ctxledger hook claude-code SessionStart < event.json",
		Run:     func(*cobra.Command, []string) {},
	}
}

// isHook reports whether arguments run a hook: then nothing else may happen, not even a message about wrong use, which
// agents take for an answer.
func isHook(args []string) bool {
	return len(args) > 0 && args[0] == hookName && !slices.Contains(args, "--help") && !slices.Contains(args, "-h")
}

// runHook answers an event. It prints everything or nothing, and never fails.
func runHook(ctx context.Context, c Config) {
	h := &hooking{Config: c, time: hookTime}
	if ms, err := strconv.Atoi(c.Env.Lookup(hookVariable)); err == nil && ms > 0 {
		h.time = min(time.Duration(ms)*time.Millisecond, hookLongest)
	}
	ctx, cancel := context.WithTimeout(ctx, h.time)
	defer cancel()
	done := make(chan []byte, 1)
	go func() {
		out, err := h.answer(ctx)
		if err != nil {
			h.log(err)
			out = nil
		}
		done <- out
	}()
	select {
	case out := <-done:
		_, _ = c.Out.Write(out) // an agent that does not read it wants nothing
	case <-ctx.Done():
		h.log(fault.New(fault.Unavailable, "cli.hook", "no answer within %s", h.time))
	}
}

// hooking is one run of a hook.
type hooking struct {
	Config
	place  workspace.Workspace
	time   time.Duration // that this run may take
	logged sync.Once
}

// answer returns what is to be printed.
func (h *hooking) answer(ctx context.Context) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fault.New(fault.Internal, "cli.hook", "panic: %.200v", p)
		}
	}()
	if len(h.Args) != 3 || h.Args[1] != hookAgent || h.Env.Lookup("CURSOR_VERSION") != "" {
		return nil, nil // Cursor runs the hooks of Claude Code, too
	}
	raw, err := io.ReadAll(io.LimitReader(h.In, hookInput+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "cli.hook", err)
	}
	if h.place, err = workspace.Find(h.Env, workspace.Options{}); err != nil || h.place.Root == "" {
		return nil, err
	}
	if len(raw) > hookInput {
		_, _ = io.Copy(io.Discard, h.In) // so that the agent can write it all
		return nil, fault.New(fault.TooLarge, "cli.hook", "%s: an event of more than %d bytes", h.Args[2], hookInput)
	}
	var api ledger.API
	open := func(ctx context.Context) (ledger.API, error) {
		api, err = h.open(ctx)
		return api, err
	}
	out, err = hook.Run(ctx, hook.Options{Env: h.Env, Root: h.place.Root, Open: open}, h.Args[2], raw)
	if err != nil {
		err = fmt.Errorf("%s: %w", h.Args[2], err)
	}
	return out, err // the end of the process closes the ledger
}

// open connects to a running daemon. If there is none, it starts one for the next call and lets this one go.
func (h *hooking) open(ctx context.Context) (ledger.API, error) {
	ctx, cancel := context.WithTimeout(ctx, h.time/hookConnect)
	defer cancel()
	o := daemon.Options{Env: h.Env, Version: h.Version, NoSpawn: true}
	api, err := daemon.OpenWorkspace(ctx, h.place, o)
	if err != nil {
		daemon.StartWorkspace(h.place, o)
	}
	return api, err
}

// log writes one line about what went wrong, the first time. If that fails, too, the hook stays silent.
func (h *hooking) log(err error) { h.logged.Do(func() { h.write(err) }) }

func (h *hooking) write(err error) {
	if h.place.State == "" {
		return
	}
	dir := filepath.Join(h.place.State, "log")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	path := filepath.Join(dir, "hook.log")
	f, info, failed := safefs.OpenAppend(path)
	if failed != nil {
		return
	}
	defer f.Close() // a line that is lost is only not read
	if info.Size() > hookLog && os.Rename(path, path+".1") != nil {
		return
	}
	text := redact.New([]byte(h.Env.ID(32))).String(strings.TrimSpace(err.Error()))
	_, _ = fmt.Fprintf(f, "%s %s\n", h.Env.Now().UTC().Format(time.RFC3339), chars.Short(chars.Line(text), hookLine))
}
