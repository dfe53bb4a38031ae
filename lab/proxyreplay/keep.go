package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/mcp"
)

// keptLedger is where the ledger of a session is, beside its requests.
const keptLedger = "ledger"

// serve serves what was kept until it fails.
func serve(address string, dirs []string) error {
	if len(dirs) != 1 {
		return errors.New("name the directory that -keep has written")
	}
	handler, err := readers(context.Background(), dirs[0])
	if err != nil {
		return err
	}
	s := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: time.Minute}
	return s.ListenAndServe()
}

// readers serves the tool that reads back of each session in a directory, over MCP.
func readers(ctx context.Context, dir string) (http.Handler, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, e := range all {
		l, err := engine.Open(ctx, engine.Options{State: filepath.Join(dir, e.Name(), keptLedger), Env: env.System()})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		s, err := mcp.New(func(context.Context, []string) (mcp.Ledger, string, error) { return stays{l}, "", nil },
			mcp.Options{Env: env.System(), ReadBack: true})
		if err != nil {
			return nil, err
		}
		mux.Handle("/"+e.Name(), s)
	}
	return mux, nil
}

// stays is a ledger that no client closes.
type stays struct{ mcp.Ledger }

// Close implements mcp.Ledger.
func (stays) Close() error { return nil }
