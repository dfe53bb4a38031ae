package mcp_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/mcp"
)

// A server answers line by line; the ledger is opened when a tool needs it.
func ExampleServer_Serve() {
	open := func(context.Context, []string) (mcp.Ledger, string, error) {
		return nil, "", fault.New(fault.Unavailable, "example", "no ledger here")
	}
	s, err := mcp.New(open, mcp.Options{Version: "1", Env: env.System()})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	if err := s.Serve(context.Background(), in, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}
