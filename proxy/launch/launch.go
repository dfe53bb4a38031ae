// Package launch starts an agent behind a proxy, for the agent's life: the agent gets variables that no other program has,
// the proxy is started again if it dies, and nothing is left when the agent has ended.
//
// Start at Run. It deliberately edits no configuration.
package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/termtext"
	"ctxledger.dev/proxy"
)

// Options say what to start.
type Options struct {
	Env   env.Env
	Agent []string // its program and arguments
	Proxy []string // the program and arguments that serve: see Started
	Args  []string // that it gets before its own
	Set   []string // variables that it gets, as NAME=value, unless it has them
	In    io.Reader
	Out   io.Writer
	Err   io.Writer // of the agent; what the proxy says comes when the agent has ended
}

// Started is what the program of a proxy prints as JSON when it serves. It reads its token from the first line of standard
// input, and ends when that ends. On Options.Proxy follow "--listen" and the address, of which the port is 0 the first time.
type Started struct {
	Address string `json:"address"`
}

const (
	start    = 10 * time.Second       // how long a proxy takes to serve, at most
	goodbye  = 10 * time.Second       // how long it takes to end, at most
	again    = 100 * time.Millisecond // from its death to the next one, which doubles
	againMax = 5 * time.Second
	maxSaid  = 8 << 10 // bytes that it says
)

// Run runs an agent to its end and returns its exit status. Errors: not_found if there is no such program; unavailable if no
// proxy serves: the agent was not started.
func Run(ctx context.Context, o Options) (status int, err error) {
	const op = "launch.run"
	program, err := exec.LookPath(o.Agent[0])
	switch {
	case errors.Is(err, fs.ErrPermission):
		return 0, fault.New(fault.Denied, op, "file %.200q is not executable", o.Agent[0]).
			WithHint("make it executable, or give its interpreter: sh %.200q", o.Agent[0])
	case errors.Is(err, syscall.EISDIR):
		return 0, fault.New(fault.Invalid, op, "%.200q is a directory, not a program", o.Agent[0])
	case err != nil:
		return 0, fault.New(fault.NotFound, op, "program %.200q not found", o.Agent[0]).
			WithHint("it is not in PATH: install it, or give its path")
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	life, end := context.WithCancel(ctx)
	k := &keeper{Options: o, token: o.Env.ID(16), said: termtext.NewTail(maxSaid)}
	first := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.keep(life, first)
	}()
	defer func() {
		end()
		<-done
		if said := k.said.AppendTo(nil); len(said) > 0 {
			_, _ = o.Err.Write(append(bytes.TrimRight(said, "\n"), '\n')) // an error can no longer be reported
		}
	}()
	if err := <-first; err != nil {
		return 0, fault.Wrap(fault.Unavailable, op, err)
	}
	base := "http://" + k.address + "/" + k.token
	agent := agentname.Of(strings.TrimSuffix(filepath.Base(o.Agent[0]), ".exe"))
	cmd := exec.Command(program, append(o.extra(agent, base), o.Agent[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = o.In, o.Out, o.Err
	cmd.Env = slices.Concat(o.Set, cmd.Environ(), variables(agent, base, o.Env.Lookup))
	if err := cmd.Start(); err != nil {
		return 0, fault.Wrap(fault.Unavailable, op, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt { // which the terminal sends to the agent as well
				_ = cmd.Process.Signal(s) // it may just have ended
			}
		case <-ctx.Done():
			_ = cmd.Process.Kill() // it may just have ended
			ctx = context.Background()
		case err := <-ended:
			exit, failed := errors.AsType[*exec.ExitError](err)
			switch {
			case !failed:
				return 0, fault.Wrap(fault.Unavailable, op, err)
			case exit.ExitCode() < 0: // by a signal
				return 1, nil
			}
			return exit.ExitCode(), nil
		}
	}
}

// speaks says which providers agents have that speak to one: the programs that they run inherit no address of others.
// Codex is told by an argument.
var speaks = map[string]string{"claude-code": "anthropic", "gemini": "gemini", "qwen": "openai", "codex": "none"}

// variables are those that an agent behind a proxy gets besides the ones that it would have.
func variables(agent, base string, lookup func(string) string) (out []string) {
	for _, v := range proxy.Variables(base, speaks[agent], lookup) {
		out = append(out, v.Name+"="+v.Value)
	}
	return out
}

// extra are the arguments by which an agent learns what it reads from no variable.
func (o Options) extra(agent, base string) []string {
	if agent == "codex" {
		return append([]string{"-c", `openai_base_url="` + base + `/openai"`}, o.Args...)
	}
	return o.Args
}

// keeper keeps a proxy running.
type keeper struct {
	Options
	token   string
	address string         // set before the first start is reported
	said    *termtext.Tail // by one at a time
}

// keep runs the proxy, and runs it again at the same address when it has died, until ctx ends. first gets what became of
// the first start.
func (k *keeper) keep(ctx context.Context, first chan<- error) {
	for pause := again; ; pause = min(2*pause, againMax) {
		err := k.serve(ctx, func(address string) {
			if pause = again; k.address == "" {
				k.address = address
				first <- nil
			}
		})
		if k.address == "" {
			first <- err
			return
		}
		if env.Sleep(ctx, pause); ctx.Err() != nil {
			return
		}
	}
}

// serve runs the proxy once, until it dies or ctx ends.
func (k *keeper) serve(ctx context.Context, ready func(address string)) error {
	listen := k.address
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	cmd := exec.CommandContext(life, k.Proxy[0], append(k.Proxy[1:], "--listen", listen)...)
	process.Group(cmd) // the terminal's interrupt is for the agent
	cmd.Stderr = k.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	slow := time.AfterFunc(start, kill)
	_, err = io.WriteString(in, k.token+"\n")
	var started Started
	if err == nil {
		err = json.NewDecoder(out).Decode(&started)
	}
	if slow.Stop(); err == nil {
		ready(started.Address)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = in.Close() // it leaves
		time.AfterFunc(goodbye, kill)
	})
	defer stop()
	_, _ = io.Copy(io.Discard, out) // until it ends
	if wrong := cmd.Wait(); err != nil {
		last := lastLine(k.said.AppendTo(nil), wrong)
		err = fault.New(fault.Unavailable, "launch.proxy", "the proxy did not start: %s", last)
	}
	return err
}

// lastLine returns the last line that was said, else an error.
func lastLine(said []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if line := lines[len(lines)-1]; line != "" {
		return line
	}
	if err == nil {
		return "it exited immediately"
	}
	return err.Error()
}
