// Command hookreplay measures what each thing that hooks do would have saved or cost in recorded sessions of Claude
// Code:
//
//	make hookreplay ARGS="DIR…"
//
// Each argument is a session file or a directory of them. Every session is played once for each configuration (each
// thing alone, and all): its events are made of its records, in order, with their true results, and answered by the
// code of the hooks with a ledger of its own in a temporary directory.
//
// What a text costs that is added, or saves that is cut, is charged from the next request to the host's next compaction:
// written into the provider's cache once, then read from it, or written again where the recorded request missed the
// cache; at the list prices of the request's model. A later call, or answer without one, is one of need if it names
// something that was in a part that was cut and nowhere else in what the model had seen since the compaction: lines of
// an edit, identifiers, numbers, words of a search. Each is charged one more request that reads back the lines around.
//
// Every request of an agent that ctxledger is installed in carries its tools, too, whatever hooks do. They are charged in
// the same way, in every request, and written anew after a compaction. Each row is shown gross, which is what its hook does,
// and net, which is what somebody pays who installs it; the net figures are of all sessions, since none is without tools.
//
// It is replay, not solved tasks. The command reads session files and writes nothing but its table; -show prints what
// was cut and what was read instead, for people.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// replayed is the agent whose hooks are played.
const replayed = "claude-code"

func main() {
	curve := flag.Bool("curve", false, "play other limits of lengths instead")
	show := flag.Int("show", 0, "print so many replaced results, from beginning to end")
	needs := flag.Bool("needs", false, "print what was needed")
	only := flag.String("only", "", "play the configurations with this in their name alone")
	flag.Parse()
	host := registry.Of(replayed).Client
	p := &program{shows: *show, needs: *needs, own: []listed{{"tools and instructions of ctxmcp", host.Tokens}}}
	if err := p.run(context.Background(), flag.Args(), named(configurations(*curve), *only)); err != nil {
		fmt.Fprintln(os.Stderr, "hookreplay:", err)
		os.Exit(1)
	}
}

// configuration is what hooks do in one replay.
type configuration struct {
	name   string
	do     config.Hooks
	limits ledger.ResultLimits
}

// configurations returns those that are compared: each thing alone, and all of them; or the limits of lengths.
func configurations(curve bool) (out []configuration) {
	usual := ledger.ResultLimits{Above: limits.OffloadChars, Repeated: limits.RepeatChars, Terminal: limits.TerminalChars}
	if !curve {
		return []configuration{
			{"environment", config.Hooks{Environment: true}, usual},
			{"memory", config.Hooks{Memory: true}, usual},
			{"stale", config.Hooks{Stale: true}, usual},
			{"record", config.Hooks{Record: true}, usual},
			{"summary", config.Hooks{Summary: true}, usual},
			{"markers", config.Hooks{Markers: true}, usual},
			{"large", config.Hooks{Large: true}, usual},
			{"outputs", config.Hooks{Outputs: true}, usual},
			{"reads", config.Hooks{Reads: true}, usual},
			{"repeats", config.Hooks{Repeats: true}, usual},
			{"terminal", config.Hooks{Terminal: true}, usual},
			{"all", config.AllHooks(), usual},
			{"default", config.DefaultHooks(), usual},
		}
	}
	for _, n := range []int{4_000, 8_000, 16_000, 25_000, 40_000, 50_000, 60_000} {
		l := usual
		l.Above = n
		out = append(out, configuration{fmt.Sprintf("large above %d", n), config.Hooks{Large: true, Outputs: true}, l},
			configuration{fmt.Sprintf("reads above %d", n), config.Hooks{Reads: true}, l})
	}
	for _, n := range []int{300, 600, 1_000, 2_000, 4_000, 8_000} {
		l := usual
		l.Repeated = n
		out = append(out, configuration{fmt.Sprintf("repeats from %d", n), config.Hooks{Repeats: true}, l})
	}
	for _, n := range []int{1, 100, 300, 1_000, 3_000} {
		l := usual
		l.Terminal = n
		out = append(out, configuration{fmt.Sprintf("terminal from %d", n), config.Hooks{Terminal: true}, l})
	}
	return out
}

// named returns the configurations with a text in their name.
func named(all []configuration, text string) []configuration {
	return slices.DeleteFunc(all, func(c configuration) bool { return !strings.Contains(c.name, text) })
}

// listed is a part of what our MCP server adds to every request of an agent that it is installed in.
type listed struct {
	what   string
	tokens int // o200k_base
}

// program plays sessions.
type program struct {
	shows int
	needs bool
	own   []listed   // what every request carries because of us
	mu    sync.Mutex // guards what is printed and found
	found [][]outcome
}

// run plays the sessions of files and directories and prints the table.
func (p *program) run(ctx context.Context, paths []string, configs []configuration) error {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".jsonl" {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(files) == 0 {
		return fmt.Errorf("name session files, or directories of them")
	}
	p.found = make([][]outcome, len(files))
	next := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				p.session(ctx, i, files[i], configs)
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wait.Wait()
	table(os.Stdout, p.own, configs, p.found)
	return nil
}

// session plays one session under each configuration. A file that cannot be played is named and left out.
func (p *program) session(ctx context.Context, i int, file string, configs []configuration) {
	outcomes, err := func() (out []outcome, err error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close() // opened for reading
		r, err := agents.Read(f, file)
		if err != nil {
			return nil, err
		}
		t := newTrack(r)
		for _, c := range configs {
			o, err := t.play(ctx, p, c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			out = append(out, o)
		}
		return out, nil
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		fmt.Fprintf(os.Stderr, "hookreplay: %s: %s\n", filepath.Base(file), err)
		return
	}
	p.found[i] = outcomes
}
