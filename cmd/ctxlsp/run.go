package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"runtime/debug"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/lsp"
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
		s := lsp.New(lsp.Options{Version: wiring.Version, Env: e, Log: log, Idle: debug.FreeOSMemory, Find: find})
		return func() error { return s.Serve(ctx, os.Stdin, os.Stdout) }, nil
	})
}

// workspaceOf returns a workspace as a language server sees it.
func workspaceOf(e env.Env, ws workspace.Workspace, inProcess bool, log *slog.Logger) lsp.Workspace {
	c, problems := config.Load(e, ws.Root, ws.State)
	editorWorkspace := lsp.Workspace{Root: ws.Root, Models: c.Models,
		Open: func(ctx context.Context) (lsp.Ledger, error) {
			return wiring.Open(ctx, e, ws, inProcess)
		}}
	for _, p := range problems {
		log.Warn("configuration", "problem", p.String())
		if p.Instead != "" {
			editorWorkspace.Problem, editorWorkspace.Hint = p.String(), cmp.Or(p.Hint,
				"correct it, and restart the server")
		}
	}
	return editorWorkspace
}
