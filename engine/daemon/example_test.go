package daemon_test

import (
	"context"
	"fmt"
	"os"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/workspace"
)

func ExampleOpenWorkspace() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	e := env.System()
	e.Lookup = func(name string) string {
		if name == workspace.StateVariable {
			return root + "/state"
		}
		return ""
	}
	ws, err := workspace.Find(e, workspace.Options{Flag: root})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	// Without InProcess a daemon would own the ledger: this program, through Main.
	api, err := daemon.OpenWorkspace(ctx, ws, daemon.Options{Env: e, InProcess: true})
	if err != nil {
		panic(err)
	}
	defer api.Close()
	for _, scope := range []memory.Scope{memory.Project, memory.User} {
		entry := memory.Entry{Name: "tabs", Description: "how we indent", Source: "user", Scope: scope}
		if _, err := api.SaveMemory(ctx, ledger.SaveMemoryRequest{Entry: entry}); err != nil {
			panic(err)
		}
	}
	all, err := api.Memories(ctx, ledger.MemoriesRequest{})
	if err != nil {
		panic(err)
	}
	for _, m := range all.Entries {
		fmt.Println(m.Scope, m.Name)
	}
	// Output:
	// project tabs
	// user tabs
}
