// Command savings measures what installing ctxledger saves and costs in two sessions of the real Claude Code:
//
//	make savings
//
// A scripted model plays each session twice, with the same calls: in a new home directory, and in a new one in which
// `ctxledger install claude-code` has written hooks and the MCP server, with the configuration that everybody gets. One
// session is heavy in repeats: the same files, outputs of commands and results of an MCP server come again and again. The
// other one reads, changes and checks one file after the other, and repeats nothing. After the first one, `ctxledger resume`
// writes its session as a new one, and the agent goes on from both.
//
// -resume FILE does only that, with a recorded session.
//
// What reaches the model is counted: the texts of the system prompt, of messages, calls and results, and the list of tools
// as JSON, of every request, exactly as OpenAI's o200k_base counts. Dollars are those of Claude Sonnet 4.5 for as many
// tokens, if the provider keeps each request for the next one.
//
// A script does not read back what became a stub, so the first session is an upper bound. Calls that name something that
// only a stub's original has are counted, and each is charged one more request that reads it back. Nothing is said about
// how many sessions are like one or the other: hookreplay plays recorded ones. Differences from a person's agent: it
// compacts on request only, hooks have more time than 250 ms (the figures do not depend on how busy the machine is), and
// unless -search is given, the agent does not search for tools.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/lab/sandbox"
)

// deadline bounds the whole run, which takes some minutes on a busy machine.
const deadline = 30 * time.Minute

func main() {
	bin := flag.String("bin", "bin", "the `DIR` of the built programs")
	agent := flag.String("agent", ".cache/agents/claude/node_modules/.bin/claude", "the Claude Code `PATH` to run")
	resume := flag.String("resume", "", "only have the agent go on from a session `FILE`, as it is and as resume writes it")
	search := flag.Bool("search", false, "let the agent search for tools")
	orders := flag.Bool(ordersFlag, false, "be the MCP server of the sessions, on standard input and output")
	flag.Parse()
	if *orders {
		serveOrders(os.Stdin, os.Stdout)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := measure(ctx, *bin, *agent, *resume, *search); err != nil {
		fmt.Fprintln(os.Stderr, "savings:", err)
		os.Exit(1)
	}
}

// measure plays all sessions, or goes on from a recorded one, and prints what it has counted.
func measure(ctx context.Context, bin, agent, recorded string, search bool) error {
	agent, err := filepath.Abs(agent)
	if err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := sandbox.New(bin)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }() // what was measured is printed
	p := &player{Sandbox: s, agent: agent, orders: own, search: search}
	if recorded != "" {
		id, err := p.recorded(ctx, recorded)
		if err != nil {
			return err
		}
		resumed, err := p.resume(ctx, id)
		if err == nil {
			resumed.print(os.Stdout, "the session "+id)
		}
		return err
	}
	return p.all(ctx)
}

// all plays all sessions.
func (p *player) all(ctx context.Context) error {
	var pairs []pair
	var resumed resumption
	for _, session := range sessions() {
		pair, err := p.pair(ctx, session, func(id string) (err error) {
			if session.resumed {
				resumed, err = p.resume(ctx, id)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", session.name, err)
		}
		pairs = append(pairs, pair)
	}
	table(os.Stdout, pairs)
	resumed.print(os.Stdout, "the first session")
	return nil
}
