package main

import (
	"context"
	"os"
	"runtime/debug"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/mcp"
	"ctxledger.dev/tokens"
	"ctxledger.dev/workspace"
)

// run serves one client, or many over HTTP, and returns the exit status of the process. The tools report why the ledger cannot
// be opened: users do not see the standard error of a server.
func run(ctx context.Context, e env.Env, args []string) int {
	p := wiring.NewProgram("ctxmcp", "found from the host and the working directory", e)
	prefix := p.Flags.String("tool-prefix", "",
		"prefix tool names with `text`, in case they collide with others")
	structured := p.Flags.Bool("structured", false,
		"add structured results and their schemas, for clients that are programs (agents: text is smaller)")
	agents := p.Flags.Bool("agent-tools", false,
		"offer the tools with which the agents in a session tell each other what they know: session_context, "+
			"log_attempt, log_hypothesis, handoff, save_artifact")
	graphs := p.Flags.Bool("graph-tools", false,
		"offer the tools with which agents read context graphs in parts: graph_blocks, graph_prompt")
	readBack := p.Flags.Bool("read-back", false, "offer only read_artifact, as \"ctxledger with --reduce\" has it")
	var w web
	w.flags(p.Flags)
	return p.Run(args, func() (func() error, error) {
		o := mcp.Options{Version: version.Version, ToolPrefix: *prefix, Structured: *structured, Env: e}
		if err := w.check(p); err != nil {
			return nil, err
		}
		if w.listen != "" && *graphs {
			return nil, fault.New(fault.Invalid, "ctxmcp", "--graph-tools cannot be used with --http: hosted workspaces "+
				"have no files")
		}
		if w.listen != "" {
			o.Log = wiring.ServiceLog(e)
			return w.host(ctx, e, o, wiring.Stderr(e))
		}
		here, err := workspace.Find(e, workspace.Options{Flag: p.Root})
		nowhere := err == nil && here.Root == "" // desktop hosts start servers outside any project
		open := func(ctx context.Context, roots []string) (mcp.Ledger, string, error) {
			ws, err := workspace.Find(e, workspace.Options{Flag: p.Root, Roots: roots})
			if err != nil {
				return nil, "", err
			}
			api, err := wiring.Open(ctx, e, ws, p.InProcess)
			return api, ws.Root, err
		}
		o.AskRoots, o.Log = nowhere, wiring.Log(e)
		o.Models, o.Author, o.Problems = wiring.Models(e), wiring.Author(e), wiring.Problems(e)
		o.Given, o.Root, o.AgentTools = wiring.Given(e), here.Root, *agents
		o.ReadBack, o.GraphTools, o.Graph = *readBack, *graphs, wiring.Graph(e)
		o.Idle = func() { tokens.Rest(); debug.FreeOSMemory() } // an agent waits for its user most of the time
		s, err := mcp.New(open, o)
		if err != nil {
			return nil, err
		}
		return func() error { return s.Serve(ctx, os.Stdin, os.Stdout) }, nil
	})
}
