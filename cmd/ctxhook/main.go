// Command ctxhook answers the hooks of agents: `ctxhook claude-code EVENT`. It does what `ctxledger hook` does, and is a
// program of its own because an agent waits for each call: it links no more than a call needs, so that it starts at once.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"ctxledger.dev/cli/hooking"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/version"
)

const usage = `Agents start ctxhook for an event of their hooks: ctxhook AGENT EVENT [SERVER], with the event's JSON on
standard input. "ctxledger install" connects it; "ctxledger doctor" shows what works.
`

func main() {
	if len(os.Args) == 2 && slices.Contains([]string{"--help", "-help", "-h"}, os.Args[1]) {
		_, _ = os.Stdout.WriteString(usage) // of a person; whatever else is wrong, an agent gets nothing
		return
	}
	hooking.Main(context.Background(), hooking.Config{
		Args: append([]string{hooking.Name}, os.Args[1:]...), Env: env.System(), Version: version.Version,
		In: os.Stdin, Out: os.Stdout, Daemon: daemon(),
	})
}

// daemon is the program that becomes the daemon: the one of the command line, in the directory of this one.
func daemon() []string {
	own, err := os.Executable()
	if err != nil {
		return nil
	}
	name := "ctxledger"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return []string{filepath.Join(filepath.Dir(own), name)}
}
