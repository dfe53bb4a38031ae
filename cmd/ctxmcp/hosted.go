package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"strings"
	"syscall"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/hosting"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/internal/version"
	"ctxledger.dev/internal/wiring"
	"ctxledger.dev/ledger"
	"ctxledger.dev/mcp"
)

// web is what the command line says of serving over HTTP.
type web struct {
	listen, cert, key string
	hosts             []string
}

// flags adds the options.
func (w *web) flags(f *flag.FlagSet) {
	f.StringVar(&w.listen, "http", "", "serve hosted workspaces over HTTP on `address`, as in 127.0.0.1:7801 "+
		"(default: one client on standard input); programs need a token from `ctxledger token add`")
	f.Func("host", "with --http: a host `name` that requests may use, besides this machine's own; may be repeated",
		func(name string) error {
			w.hosts = append(w.hosts, name)
			return nil
		})
	f.StringVar(&w.cert, "tls-cert", "", "with --http: the certificate `file`, for encrypted connections")
	f.StringVar(&w.key, "tls-key", "", "with --http: the certificate's key `file`")
}

// check refuses options that do not go together.
func (w *web) check(p *wiring.Program) error {
	const op = "ctxmcp"
	switch {
	case w.listen == "" && (len(w.hosts) > 0 || w.cert != "" || w.key != ""):
		return fault.New(fault.Invalid, op, "--host, --tls-cert and --tls-key need --http")
	case w.listen != "" && p.Root != "":
		return fault.New(fault.Invalid, op, "--workspace cannot be used with --http: a token determines its workspace")
	case (w.cert == "") != (w.key == ""):
		return fault.New(fault.Invalid, op, "--tls-cert and --tls-key must be given together")
	case strings.Contains(strings.Join(w.hosts, ""), ":"):
		return fault.New(fault.Invalid, op, "--host takes a name without a port")
	}
	return nil
}

// host returns what serves hosted workspaces until ctx ends. out gets the address.
func (w *web) host(ctx context.Context, e env.Env, o mcp.Options, out io.Writer) (func() error, error) {
	store, err := access.Open(e)
	if err != nil {
		return nil, err
	}
	every := o.Log // requests and refusals; of what callers send that is wrong, less and less
	o.Log = slog.New(logcap.New(every.Handler()))
	server := hosting.New(hosting.Config{Env: e, Log: every, Store: store, Hosts: w.hosts, Cert: w.cert, Key: w.key,
		Open: func(ctx context.Context, state string) (ledger.API, error) {
			return daemon.Open(ctx, daemon.Options{State: state, Env: e, Version: version.Version, InProcess: true,
				Hosted: true})
		}})
	o.Permit = server.Permit
	s, err := mcp.New(func(ctx context.Context, _ []string) (mcp.Ledger, string, error) {
		api, err := server.Ledger(ctx)
		return api, "", err
	}, o)
	if err != nil {
		return nil, err
	}
	remove := mcp.Route{Method: "DELETE", Path: hosting.WorkspacePath, Name: "remove_workspace",
		Role: access.Admin, Says: "Remove the workspace of the token, and all its tokens.",
		Handler: server.Remove}
	if err := s.API(server.Handle, server.Stream, remove); err != nil {
		return nil, err
	}
	server.Handle(hosting.MCPPath, s)
	signal.Ignore(syscall.SIGHUP) // what tells servers of a renewed certificate, which is seen without it
	return func() error {
		return server.Serve(ctx, w.listen, func(address string) {
			scheme := "http"
			if w.cert != "" {
				scheme = "https"
			}
			fmt.Fprintf(out, "ctxmcp: serving on %s://%s\n", scheme, address)
		})
	}, nil
}
