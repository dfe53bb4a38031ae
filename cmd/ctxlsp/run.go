package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/lsp"
	"ctxledger.dev/report"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/tokens"
	"ctxledger.dev/workspace"
)

// run serves one editor and returns the exit status of the process.
func run(ctx context.Context, e env.Env, args []string) int {
	p := wiring.NewProgram("ctxlsp", "what the editor has open", e)
	_ = p.Flags.Bool("stdio", true, "serve on standard input and output, the only transport; editors pass this flag")
	return p.Run(args, func() (func() error, error) {
		log := wiring.Log(e)
		find := func(roots []string) (lsp.Workspace, error) {
			ws, err := workspace.Find(e, workspace.Options{Flag: p.Root, Roots: roots, Opened: true})
			if err != nil || ws.Root == "" {
				return lsp.Workspace{}, err
			}
			return workspaceOf(e, ws, p.InProcess, log), nil
		}
		s := lsp.New(lsp.Options{Version: version.Version, Env: e, Log: log, Idle: debug.FreeOSMemory,
			Rest: collectEarly, Find: find, AskServer: asking.Ask, Audit: auditor(e)})
		return func() error { return s.Serve(ctx, os.Stdin, os.Stdout) }, nil
	})
}

// auditor returns how a language server measures past sessions. It shows figures alone: no text has to be masked.
func auditor(e env.Env) func(context.Context, *tokens.Registry, func(int64), func(int64)) (report.Report, error) {
	return func(ctx context.Context, m *tokens.Registry, expect, advance func(int64)) (report.Report, error) {
		found, err := audit.Run(ctx, audit.Options{Env: e, Models: m, Zone: e.Now().Location(), Mask: strings.Clone,
			Expect: expect, Advance: advance})
		return found.Report, err
	}
}

// workspaceOf returns a workspace as a language server sees it.
func workspaceOf(e env.Env, ws workspace.Workspace, inProcess bool, log *slog.Logger) lsp.Workspace {
	files := config.NewLoader(e, func(_ string, problems []config.Problem) {
		for _, p := range problems {
			log.Warn("configuration", "problem", p.String())
		}
	})
	past := wiring.Past(e, cmp.Or(ws.Main, ws.Root), log)
	return lsp.Workspace{
		Root:       ws.Root,
		Configured: func() lsp.Configured { return configured(files.Load(ws.Root, ws.State)) },
		Open:       func(ctx context.Context) (lsp.Ledger, error) { return wiring.Open(ctx, e, ws, inProcess) },
		Read:       func(ctx context.Context) (lsp.Ledger, error) { return wiring.Read(ctx, e, ws) },
		Recorded:   func() bool { return workspace.HoldsLedger(ws.State) },
		Past: func(ctx context.Context, api lsp.Ledger, progress func(done, total int64)) (lsp.Past, error) {
			p, err := past(ctx, api, progress)
			return lsp.Past(p), err
		},
	}
}

// configured returns what a language server needs of a configuration.
func configured(c config.Config, problems []config.Problem) lsp.Configured {
	out := lsp.Configured{Models: c.Models, Graph: c.Graph, FollowOff: c.FollowOff()}
	for _, p := range problems {
		if p.Instead != "" {
			out.Problem, out.Hint = p.String(), cmp.Or(p.Hint,
				"correct it: `ctxledger config validate` says what is wrong")
		}
	}
	return out
}
